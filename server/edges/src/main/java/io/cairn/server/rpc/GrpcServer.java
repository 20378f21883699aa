package io.cairn.server.rpc;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.WireMethods;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.Http2Connection;
import io.cairn.server.limit.Limit;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.AsciiString;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The gRPC edge on its port. Handlers run on the event loops. */
public final class GrpcServer implements AutoCloseable {

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final AttributeKey<Transport> TRANSPORT = AttributeKey.valueOf("cairn-transport");

    /**
     * The size of one read: 2 KiB at first, at most 64 KiB for busy clients, and never less than 2. Netty's default would shrink to
     * the size of acknowledgements. When their ids gain a digit, all connections would need two reads each, in code that the
     * compiler has not seen used.
     */
    static final RecvByteBufAllocator RECEIVE_BUFFERS = new AdaptiveRecvByteBufAllocator(2048, 2048, 65_536);

    private final Settings settings;
    private final EventLoops loops;
    private final ConnectionRegistry connections;
    private final Clock clock;
    private final UnaryCalls unary;
    private final PushStreams streams;
    private final Map<String, Call.Handler> otherMethods;
    private final SharedCompression compression;
    private final Consumer<Channel> encryption;
    private final Set<Transport> transports = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Channel listening;
    private volatile boolean finishing;
    private volatile List<Transport> redirected = List.of();
    private volatile boolean closing;

    /**
     * The settings of the port.
     *
     * @param address of a kind that the event loops serve; port 0 for any free port
     * @param messageBytes of one received message
     * @param permitKeepAliveMillis the shortest interval of a client's pings, also without calls
     * @param keepAliveMillis silence after which the server pings
     * @param keepAliveTimeoutMillis limit of the ping's answer
     * @param maxCallsPerConnection concurrent calls
     * @param maxUnreadBytes of one connection's large answers
     * @param requests the memory of all incomplete requests
     * @param answers the memory of all large answers
     * @param headSeconds for the opening of a connection, and for the headers of a call
     */
    public record Settings(
            SocketAddress address,
            Limit messageBytes,
            long permitKeepAliveMillis,
            long keepAliveMillis,
            long keepAliveTimeoutMillis,
            int maxCallsPerConnection,
            long maxUnreadBytes,
            MemoryBudget requests,
            AnswerMemory answers,
            Limit headSeconds) {

        public Settings at(SocketAddress other) {
            return new Settings(
                    other,
                    messageBytes,
                    permitKeepAliveMillis,
                    keepAliveMillis,
                    keepAliveTimeoutMillis,
                    maxCallsPerConnection,
                    maxUnreadBytes,
                    requests,
                    answers,
                    headSeconds);
        }
    }

    /**
     * The services of the port.
     *
     * @param router answers Nacos clients
     * @param abilities offered to negotiating clients
     * @param ready whether clients are admitted
     * @param serverIp the sender in pushes
     * @param otherMethods by full names, such as {@code package.Service/Method}
     */
    public record Handlers(
            MessageRouter router,
            ConnectionRegistry connections,
            Function<ClientIdentity, Map<String, Boolean>> abilities,
            BooleanSupplier ready,
            String serverIp,
            Map<String, Call.Handler> otherMethods) {}

    /**
     * @param compression of large answers and pushes, for clients that accept it
     * @param encryption prepares each connection before it is read
     */
    public GrpcServer(
            Settings settings,
            EventLoops loops,
            Handlers handlers,
            Clock clock,
            SharedCompression compression,
            Consumer<Channel> encryption) {
        this.settings = settings;
        this.loops = loops;
        this.connections = handlers.connections();
        this.clock = clock;
        this.compression = compression;
        this.encryption = encryption;
        this.otherMethods = Map.copyOf(handlers.otherMethods());
        this.unary =
                new UnaryCalls(handlers.router(), settings.maxUnreadBytes(), new UnreadAnswers(settings.answers()));
        this.streams = new PushStreams(connections, handlers.abilities(), handlers.ready(), handlers.serverIp());
    }

    /** @throws CairnException {@code UNAVAILABLE} when the port cannot be bound */
    public void start() {
        var limits = new Http2Connection.Limits(
                settings.messageBytes(),
                settings.maxCallsPerConnection(),
                settings.permitKeepAliveMillis(),
                settings.keepAliveMillis(),
                settings.keepAliveTimeoutMillis(),
                settings.headSeconds(),
                settings.requests());
        Map<AsciiString, Call.Handler> methods = new HashMap<>();
        methods.put(path(WireMethods.REQUEST.getFullMethodName()), unary);
        methods.put(path(WireMethods.BI_STREAM.getFullMethodName()), streams);
        otherMethods.forEach((name, handler) -> methods.put(path(name), handler));
        ChannelFuture bound = new ServerBootstrap()
                .group(loops.acceptor(), loops.workers())
                .channelFactory(loops::newServerChannel)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, RECEIVE_BUFFERS)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, new Http2Connection(limits, methods, compression));
                    }
                })
                .bind(settings.address())
                .awaitUninterruptibly();
        Throwable failure = bound.cause();
        if (failure != null) {
            throw unbindable(settings.address(), failure);
        }
        listening = bound.channel();
    }

    public static CairnException unbindable(SocketAddress address, Throwable cause) {
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "gRPC port " + shown(address) + " cannot be bound: " + rootMessage(cause)
                        + " (it is server.port + 1000; stop the process that has it or choose another server.port)",
                cause);
    }

    private static AsciiString path(String fullMethodName) {
        return AsciiString.of("/" + fullMethodName);
    }

    private void accept(Channel channel, Http2Connection connection) {
        Transport transport = new Transport(channel, connection, clock.millis());
        channel.attr(TRANSPORT).set(transport);
        channel.pipeline().addLast(connection);
        transports.add(transport);
        channel.closeFuture().addListener(closed -> {
            transports.remove(transport);
            ClientConnection client = transport.connection();
            if (client != null) {
                connections.closed(client);
            }
        });
        if (finishing) {
            channel.close();
            return;
        }
        encryption.accept(channel);
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

    /** The bound port; -1 for an address without one. */
    public int port() {
        Channel bound = listening;
        if (bound == null) {
            throw new IllegalStateException("the gRPC server is not started");
        }
        return bound.localAddress() instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    static Transport transport(Call call) {
        return call.channel().attr(TRANSPORT).get();
    }

    /** Refuses new connections; open ones stay. */
    public void stopAccepting() {
        Channel bound = listening;
        if (bound != null) {
            bound.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    /**
     * Refuses new connections, ends the clients' streams, and answers further calls with the code that makes a client connect to
     * another server and repeat the call. Calls under way are answered.
     */
    public void redirect() {
        stopAccepting();
        List<Transport> left = transports.stream()
                .filter(transport -> transport.connection() != null)
                .toList();
        redirected = left;
        connections.closeAll();
    }

    /** Blocks until the clients of {@link #redirect} have disconnected, or the time is over. */
    public void awaitRedirected(Duration within) {
        long deadline = System.nanoTime() + within.toNanos();
        for (Transport transport : redirected) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || !transport.channel().closeFuture().awaitUninterruptibly(left, TimeUnit.NANOSECONDS)) {
                return;
            }
        }
    }

    /**
     * Refuses new connections and calls, and returns when the calls that have begun are answered, after a second at most. Streams stay
     * until {@link #close}, so connected clients see an ended connection and never a refusal.
     */
    public void finish() {
        refuseCalls();
        long deadline = System.nanoTime() + CLOSE_NANOS;
        List<Transport> left = List.copyOf(transports);
        while (!left.isEmpty() && deadline - System.nanoTime() > 0) {
            left = withCallsUnderWay(left, deadline);
            if (!left.isEmpty()) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private static List<Transport> withCallsUnderWay(List<Transport> transports, long deadline) {
        Map<Transport, Future<Boolean>> asked = new LinkedHashMap<>();
        transports.forEach(transport -> asked.put(transport, transport.hasCallUnderWay()));
        List<Transport> left = new ArrayList<>();
        asked.forEach((transport, answer) -> {
            answer.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (!answer.isSuccess() || answer.getNow()) {
                left.add(transport);
            }
        });
        return left;
    }

    private void refuseCalls() {
        finishing = true;
        stopAccepting();
        List<Future<?>> told = transports.stream().map(Transport::finish).toList();
        long deadline = System.nanoTime() + CLOSE_NANOS;
        for (Future<?> each : told) {
            each.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    /** Refuses calls, lets running ones finish briefly, and closes all transports. */
    @Override
    public void close() {
        if (listening == null || closing) {
            return;
        }
        closing = true;
        refuseCalls();
        connections.closeAll();
        for (Transport transport : transports) {
            // Connections of clients close after the tasks that closeAll() has queued on their event loops.
            transport.stop();
        }
        awaitClosed();
        transports.forEach(Transport::hangUp);
        awaitClosed();
    }

    private void awaitClosed() {
        long deadline = System.nanoTime() + CLOSE_NANOS;
        for (Transport transport : transports) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || !transport.channel().closeFuture().awaitUninterruptibly(left, TimeUnit.NANOSECONDS)) {
                return;
            }
        }
    }
}
