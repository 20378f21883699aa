package io.cairn.benchmark.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loops of one side, epoll where there is one, else NIO; and the token that a client's requests carry. */
public final class Transport implements AutoCloseable {
    private static final long HANDSHAKE_SECONDS = 20;

    private final EventLoopGroup loops;
    private final CompressedViews views = new CompressedViews();
    private volatile @Nullable String token;
    private volatile boolean gzip;

    public Transport(String threadName, int threads) {
        IoHandlerFactory io = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(threadName, true), io);
    }

    /** Has every request from now on carry the token that a login brought. */
    public void authorize(String accessToken) {
        token = accessToken;
    }

    /** Has every connection from now on take compressed pushes. */
    public void takeGzip() {
        gzip = true;
    }

    boolean takesGzip() {
        return gzip;
    }

    CompressedViews views() {
        return views;
    }

    /** Null where nobody has logged in. */
    @Nullable
    String token() {
        return token;
    }

    /**
     * Begins a connection.
     *
     * @param opened fails with one line when it cannot be made, when it is closed before {@code opened} is complete, or after
     *     20 seconds; the connection is closed then
     */
    @SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
    Channel connect(InetSocketAddress address, ChannelHandler handler, CompletableFuture<?> opened) {
        ChannelFuture connecting = new Bootstrap()
                .group(loops)
                .channel(channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5_000)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handler);
                    }
                })
                .connect(address);
        Channel channel = connecting.channel();
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                opened.completeExceptionally(
                        new IllegalStateException(done.cause().getMessage(), done.cause()));
            }
        });
        channel.closeFuture()
                .addListener(closed -> opened.completeExceptionally(
                        new IllegalStateException("connection closed by the server during its handshake")));
        opened.orTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS).whenComplete((done, failure) -> {
            if (failure != null) {
                channel.close();
            }
        });
        return channel;
    }

    public EventLoopGroup loops() {
        return loops;
    }

    public Class<? extends Channel> channel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    public Class<? extends ServerChannel> serverChannel() {
        return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
