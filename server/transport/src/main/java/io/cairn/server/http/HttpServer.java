package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.AnswerMemory;
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

/** The HTTP port: HTTP/1.1 and HTTP/2 directly on Netty, so that a waiting long poll uses only a few kilobytes. */
public final class HttpServer implements AutoCloseable {

    /** The value of {@link Settings#maxPatienceSeconds}, in production. */
    public static final Duration MAX_PATIENCE = Duration.ofSeconds(30);

    private final Settings settings;
    private final RequestHandler handler;
    private final EventLoopGroup acceptor;
    private final EventLoopGroup workers;
    private final Supplier<ServerChannel> listening;
    private final MemoryBudget budget;
    private final AnswerMemory answers;
    private final SharedCompression compression;
    private final Consumer<Channel> encryption;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private @Nullable Channel server;

    /**
     * @param address port 0 selects a free port
     * @param maxBodyBytes of one request
     * @param idleSeconds the limit for connections without a request
     * @param maxPatienceSeconds the limit for a body or a large response without progress, if less than idleSeconds
     * @param maxStreams the limit of concurrent requests per HTTP/2 connection
     */
    public record Settings(
            InetSocketAddress address,
            int maxBodyBytes,
            int idleSeconds,
            int maxPatienceSeconds,
            int maxStreams,
            ServerLimits limits) {}

    /**
     * @param budget of request bodies
     * @param encryption prepares each connection before the first read
     */
    public HttpServer(
            Settings settings,
            RequestHandler handler,
            MemoryBudget budget,
            AnswerMemory answers,
            SharedCompression compression,
            EventLoopGroup acceptor,
            EventLoopGroup workers,
            Supplier<ServerChannel> listening,
            Consumer<Channel> encryption) {
        this.settings = settings;
        this.handler = handler;
        this.budget = budget;
        this.answers = answers;
        this.compression = compression;
        this.acceptor = acceptor;
        this.workers = workers;
        this.listening = listening;
        this.encryption = encryption;
    }

    /** @throws CairnException {@code UNAVAILABLE} when the port cannot be bound */
    public void start() {
        ChannelFuture bound = new ServerBootstrap()
                .group(acceptor, workers)
                .channelFactory(listening::get)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new HttpPipeline(
                        handler, HttpMemory.of(settings, budget, answers), settings, compression, encryption, channels))
                .bind(settings.address())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw unbindable(settings.address(), bound.cause());
        }
        server = bound.channel();
    }

    /** The failure to bind a port, with the remedy. */
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

    public int port() {
        Channel bound = server;
        if (bound == null || !(bound.localAddress() instanceof InetSocketAddress inet)) {
            throw new IllegalStateException("the HTTP server is not started");
        }
        return inet.getPort();
    }

    public int openConnections() {
        return channels.size();
    }

    /** Accepts no more connections; open connections stay. */
    public void stopAccepting() {
        Channel bound = server;
        if (bound != null) {
            bound.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    /** Ends each connection after its last request. Does not wait. */
    public void finish() {
        channels.forEach(channel -> channel.pipeline().fireUserEventTriggered(HttpPipeline.FINISH));
    }

    @Override
    public void close() {
        stopAccepting();
        channels.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
