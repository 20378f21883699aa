package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.limit.ServerLimits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP edge on its port: HTTP/1.1 and HTTP/2 on Netty, without a framework between, so that a parked poll costs a
 * few kilobytes and a read costs no more than its bytes.
 */
public final class HttpServer implements AutoCloseable {

    /** The value of {@link Settings#maxPatienceSeconds}, in production. */
    public static final Duration MAX_PATIENCE = Duration.ofSeconds(30);

    private final Settings settings;
    private final RequestHandler handler;
    private final EventLoopGroup acceptor;
    private final EventLoopGroup workers;
    private final Supplier<ServerChannel> listening;
    private final MemoryBudget budget;
    private final SharedCompression compression;
    private final Consumer<Channel> encryption;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private @Nullable Channel server;

    /**
     * How the port is served.
     *
     * @param address to listen on; port 0 takes any free one
     * @param maxBodyBytes of one request
     * @param idleSeconds after which a connection without a request under way is closed
     * @param maxPatienceSeconds for which a body or the reader of a large answer may stand still, where idleSeconds is more
     * @param maxStreams requests that one HTTP/2 connection may have under way
     * @param limits what a client may take
     */
    public record Settings(
            InetSocketAddress address,
            int maxBodyBytes,
            int idleSeconds,
            int maxPatienceSeconds,
            int maxStreams,
            ServerLimits limits) {}

    /**
     * @param compression of large answers, for clients that take it
     * @param encryption what is done to each connection before anything is read
     */
    public HttpServer(
            Settings settings,
            RequestHandler handler,
            MemoryBudget budget,
            SharedCompression compression,
            EventLoopGroup acceptor,
            EventLoopGroup workers,
            Supplier<ServerChannel> listening,
            Consumer<Channel> encryption) {
        this.settings = settings;
        this.handler = handler;
        this.budget = budget;
        this.compression = compression;
        this.acceptor = acceptor;
        this.workers = workers;
        this.listening = listening;
        this.encryption = encryption;
    }

    /**
     * Binds the port.
     *
     * @throws CairnException {@code UNAVAILABLE} when it cannot be bound
     */
    public void start() {
        ChannelFuture bound = new ServerBootstrap()
                .group(acceptor, workers)
                .channelFactory(listening::get)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new HttpPipeline(settings, handler, budget, compression, encryption, channels))
                .bind(settings.address())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw unbindable(settings.address(), bound.cause());
        }
        server = bound.channel();
    }

    /** The failure of a start whose port cannot be bound, with what to do about it. */
    public static CairnException unbindable(InetSocketAddress address, Throwable cause) {
        String why = String.valueOf(cause.getMessage());
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "HTTP port " + address.getPort() + " on " + address.getHostString() + " cannot be bound: " + why
                        + (why.contains("assign requested address")
                                ? " (server.address: expected an address of this machine, or 0.0.0.0)"
                                : " (stop the process that has it or choose another server.port)"),
                cause);
    }

    /** The bound port. */
    public int port() {
        Channel bound = server;
        if (bound == null || !(bound.localAddress() instanceof InetSocketAddress inet)) {
            throw new IllegalStateException("the HTTP server is not started");
        }
        return inet.getPort();
    }

    /** The number of open connections. */
    public int openConnections() {
        return channels.size();
    }

    /** Takes no more connections; those that are open stay. */
    public void stopAccepting() {
        Channel bound = server;
        if (bound != null) {
            bound.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    /** Ends each connection as soon as no request of it is under way, at once where none is. Does not wait. */
    public void finish() {
        channels.forEach(channel -> channel.pipeline().fireUserEventTriggered(HttpPipeline.FINISH));
    }

    /** Takes no more connections, and closes those that are open. */
    @Override
    public void close() {
        stopAccepting();
        channels.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
