package io.cairn.server.eventloop;

import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The threads of all sockets: one for accepting, and one per processor for I/O. Uses native epoll where available, otherwise
 * NIO.
 */
public final class EventLoops implements AutoCloseable {

    private final EventLoopGroup acceptor;
    private final EventLoopGroup workers;
    private final Supplier<ServerChannel> listening;

    /** Event loops without a decorator; Netty handles failures to accept. */
    public EventLoops(int threads) {
        this(threads, io(UnaryOperator.identity()), sockets());
    }

    /**
     * @param epollDecorator wraps the I/O of each loop with native epoll
     * @param acceptFailures handles the exceptions of listening sockets; must be sharable
     */
    public EventLoops(int threads, UnaryOperator<IoHandlerFactory> epollDecorator, ChannelHandler acceptFailures) {
        this(threads, io(epollDecorator), () -> {
            ServerChannel listening = sockets().get();
            listening.pipeline().addLast("accept-failures", acceptFailures);
            return listening;
        });
    }

    private static Supplier<ServerChannel> sockets() {
        return Epoll.isAvailable() ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    }

    private EventLoops(int threads, IoHandlerFactory io, Supplier<ServerChannel> listening) {
        this.acceptor = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("cairn-accept", true), io);
        this.workers = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("cairn-io", true), io);
        this.listening = listening;
    }

    /** Event loops for clients in this process without sockets; for measurements beyond the limit of open files. */
    public static EventLoops inProcess(int threads) {
        return new EventLoops(threads, LocalIoHandler.newFactory(), LocalServerChannel::new);
    }

    private static IoHandlerFactory io(UnaryOperator<IoHandlerFactory> epollDecorator) {
        return Epoll.isAvailable() ? epollDecorator.apply(EpollIoHandler.newFactory()) : NioIoHandler.newFactory();
    }

    public EventLoopGroup acceptor() {
        return acceptor;
    }

    public EventLoopGroup workers() {
        return workers;
    }

    public ServerChannel newServerChannel() {
        return listening.get();
    }

    public SocketChannel newClientChannel() {
        return Epoll.isAvailable() ? new EpollSocketChannel() : new NioSocketChannel();
    }

    public DatagramChannel newDatagramChannel() {
        return Epoll.isAvailable() ? new EpollDatagramChannel() : new NioDatagramChannel();
    }

    @Override
    public void close() {
        acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        workers.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        acceptor.terminationFuture().awaitUninterruptibly(2, TimeUnit.SECONDS);
        workers.terminationFuture().awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
