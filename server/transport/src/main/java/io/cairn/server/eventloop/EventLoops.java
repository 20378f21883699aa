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
 * The threads that all sockets of both edges share: one that accepts, and as many as processors that do the rest. Native
 * epoll where it is present, NIO elsewhere.
 */
public final class EventLoops implements AutoCloseable {

    private final EventLoopGroup acceptor;
    private final EventLoopGroup workers;
    private final Supplier<ServerChannel> listening;

    /** Event loops without a decorator, which handle a failure to accept a connection as Netty does. */
    public EventLoops(int threads) {
        this(threads, io(UnaryOperator.identity()), sockets());
    }

    /**
     * @param epollDecorator wraps the I/O of each loop where native epoll is present
     * @param acceptFailures gets the exceptions of each listening socket; may be in several pipelines
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

    /** Threads for clients in this process, which need no sockets; for measurements beyond the limit of open files. */
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

    /** A new listening socket of the transport in use. */
    public ServerChannel newServerChannel() {
        return listening.get();
    }

    /** A new socket for an outgoing connection, of the transport in use. */
    public SocketChannel newClientChannel() {
        return Epoll.isAvailable() ? new EpollSocketChannel() : new NioSocketChannel();
    }

    /** A new UDP socket of the transport in use. */
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
