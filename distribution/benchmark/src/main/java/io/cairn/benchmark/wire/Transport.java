package io.cairn.benchmark.wire;

import io.netty.channel.Channel;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loops of one side, epoll where there is one, else NIO; and the token that a client's requests carry. */
public final class Transport implements AutoCloseable {
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
