package io.cairn.server.rpc;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.WireMethods;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The gRPC edge on its port. Handlers run on the event loops. */
public final class GrpcServer implements AutoCloseable {

    private static final int FLOW_CONTROL_WINDOW_BYTES = 1024 * 1024;
    private static final Attributes.Key<Transport> TRANSPORT = Attributes.Key.create("cairn-transport");

    private final Settings settings;
    private final EventLoops loops;
    private final ConnectionRegistry connections;
    private final Clock clock;
    private final UnaryCalls unary;
    private final PushStreams streams;
    private final Consumer<Channel> encryption;
    private final Map<SocketAddress, Channel> accepted = new ConcurrentHashMap<>();
    private @Nullable Server server;
    private volatile @Nullable Channel listening;

    /**
     * How the port is served.
     *
     * @param address to listen on, of the kind that the event loops serve; port 0 takes any free one
     * @param maxMessageBytes of one message that comes in
     * @param permitKeepAliveMillis pings of a client may come as often as this, also without calls; the Go SDK sends one
     *     a minute
     * @param keepAliveMillis after which the server pings a silent transport
     * @param keepAliveTimeoutMillis within which the ping must be answered
     * @param maxCallsPerConnection that may be under way at the same time
     * @param maxUnreadBytes of large answers that one connection may leave unread
     */
    public record Settings(
            SocketAddress address,
            int maxMessageBytes,
            long permitKeepAliveMillis,
            long keepAliveMillis,
            long keepAliveTimeoutMillis,
            int maxCallsPerConnection,
            long maxUnreadBytes) {}

    /**
     * @param abilities what this server offers to a client that negotiates
     * @param ready whether clients are taken
     * @param serverIp the address that pushes name as their sender
     * @param encryption what is done to each connection before anything is read
     */
    public GrpcServer(
            Settings settings,
            EventLoops loops,
            MessageRouter router,
            ConnectionRegistry connections,
            Function<ClientIdentity, Map<String, Boolean>> abilities,
            BooleanSupplier ready,
            String serverIp,
            Clock clock,
            Consumer<Channel> encryption) {
        this.settings = settings;
        this.loops = loops;
        this.connections = connections;
        this.clock = clock;
        this.encryption = encryption;
        this.unary = new UnaryCalls(router, settings.maxUnreadBytes());
        this.streams = new PushStreams(connections, abilities, ready, serverIp);
    }

    /**
     * Binds the port.
     *
     * @throws CairnException {@code UNAVAILABLE} when it cannot be bound
     */
    public void start() {
        Server built = NettyServerBuilder.forAddress(settings.address())
                .bossEventLoopGroup(loops.acceptor())
                .workerEventLoopGroup(loops.workers())
                .channelFactory(this::listeningChannel)
                .withOption(ChannelOption.SO_BACKLOG, 4096)
                .withOption(ChannelOption.SO_REUSEADDR, true)
                .directExecutor()
                // A fixed window: a growing one is found out with a ping for nearly every small message that comes in.
                .flowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
                .maxInboundMessageSize(settings.maxMessageBytes())
                .maxConcurrentCallsPerConnection(settings.maxCallsPerConnection())
                .permitKeepAliveTime(settings.permitKeepAliveMillis(), TimeUnit.MILLISECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(settings.keepAliveMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(settings.keepAliveTimeoutMillis(), TimeUnit.MILLISECONDS)
                .addTransportFilter(new Transports())
                .addService(ServerServiceDefinition.builder("Request")
                        .addMethod(WireMethods.REQUEST, unary)
                        .build())
                .addService(ServerServiceDefinition.builder("BiRequestStream")
                        .addMethod(WireMethods.BI_STREAM, streams)
                        .build())
                .build();
        try {
            server = built.start();
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "gRPC port " + shown(settings.address()) + " cannot be bound: " + rootMessage(e)
                            + " (it is server.port + 1000; stop who has it or choose another server.port)",
                    e);
        }
    }

    private static String shown(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? inet.getPort() + " on " + inet.getHostString()
                : address.toString();
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    /** The bound port. */
    public int port() {
        Server running = server;
        if (running == null) {
            throw new IllegalStateException("the gRPC server is not started");
        }
        return running.getPort();
    }

    /** grpc does not give away its channels, so they are noted where they are accepted. */
    private ServerChannel listeningChannel() {
        ServerChannel channel = loops.newServerChannel();
        listening = channel;
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public boolean isSharable() {
                return true;
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof Channel child && child.remoteAddress() != null) {
                    SocketAddress remote = child.remoteAddress();
                    accepted.put(remote, child);
                    child.closeFuture().addListener(closed -> accepted.remove(remote, child));
                    encryption.accept(child);
                }
                context.fireChannelRead(message);
            }
        });
        return channel;
    }

    static Transport transport(ServerCall<?, ?> call) {
        Transport transport = call.getAttributes().get(TRANSPORT);
        if (transport == null) {
            throw new IllegalStateException("a call without its transport");
        }
        return transport;
    }

    private final class Transports extends ServerTransportFilter {

        @Override
        public Attributes transportReady(Attributes attributes) {
            SocketAddress remote = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
            Channel channel = remote == null ? null : accepted.remove(remote);
            if (channel == null) {
                throw new IllegalStateException("transport from " + remote + " has no channel");
            }
            return attributes.toBuilder()
                    .set(TRANSPORT, new Transport(channel, clock.millis()))
                    .build();
        }

        @Override
        public void transportTerminated(@Nullable Attributes attributes) {
            Transport transport = attributes == null ? null : attributes.get(TRANSPORT);
            if (transport != null && transport.connection() != null) {
                connections.closed(transport.connection());
            }
        }
    }

    /** Takes no more connections; those that are open stay. */
    public void stopAccepting() {
        Channel bound = listening;
        if (bound != null) {
            bound.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    /** Takes no more calls, lets those under way finish for a moment, and closes all transports. */
    @Override
    public void close() {
        Server running = server;
        if (running == null) {
            return;
        }
        running.shutdown();
        connections.closeAll();
        try {
            if (!running.awaitTermination(1, TimeUnit.SECONDS)) {
                running.shutdownNow();
                running.awaitTermination(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            running.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
