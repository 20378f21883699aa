package io.cairn.server.subscription.udp;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.HttpReaders;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.NetUtil;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clients that listed a service with a UDP port for its changes: subscribers until they stop listing. One socket serves all. */
public final class UdpSubscribers implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(UdpSubscribers.class);
    private static final int MAX_PORT = 65535;
    private static final int MAX_SUBSCRIBERS = 200_000;

    private final RegistryView reads;
    private final ServicePusher pusher;
    private final ServiceSubscriptions subscriptions;
    private final HttpReaders readers;
    private final Switches switches;
    private final Timer timer;
    private final Limits limits;
    private final Bootstrap bootstrap;
    private final InetAddress address;
    private final boolean anyAddress;
    private final Clock clock;
    /** Differs from the ids before a restart, and is exact in JavaScript. */
    private final AtomicLong ids = new AtomicLong(System.currentTimeMillis() * 1_000);

    private final Map<UdpSubscriber.Key, UdpSubscriber> subscribers = new ConcurrentHashMap<>();
    /** For the channel's event loop only. */
    private final Map<Awaited, UdpSubscriber> awaited = new HashMap<>();

    private volatile @Nullable Channel channel;
    /** The channel's loop, also after its close: a watcher never changes its loop. */
    private volatile Executor loop = Runnable::run;

    private record Awaited(InetSocketAddress from, long id) {}

    /**
     * @param ackTimeout before the one retry, and before the drop
     * @param minExpiry shortest time before a client without lists is removed
     * @param missedLists by then, if that takes longer
     */
    public record Limits(Duration ackTimeout, Duration minExpiry, int missedLists) {

        /** The limits of Nacos servers, for which the clients are made. */
        public static final Limits USUAL = new Limits(Duration.ofSeconds(10), Duration.ofSeconds(30), 3);
    }

    /**
     * A client with any number of subscriptions.
     *
     * @param id {@code ip:port#true}, as in its subscriptions
     * @param lastListedMillis of any service, in epoch milliseconds
     */
    public record Client(String id, String ip, int port, long lastListedMillis) {}

    /**
     * The socket of all clients.
     *
     * @param loops of which one serves it
     * @param newChannel of these loops' transport
     * @param address local
     * @param anyAddress whether clients may name another address, as behind a router
     */
    public record Socket(
            EventLoopGroup loops, Supplier<DatagramChannel> newChannel, InetAddress address, boolean anyAddress) {}

    /**
     * @param pusher learns the lists that clients got
     * @param readers learns the clients without pushes
     * @param clock for the times of lists
     */
    public UdpSubscribers(
            RegistryView reads,
            Switches switches,
            ServicePusher pusher,
            ServiceSubscriptions subscriptions,
            HttpReaders readers,
            Timer timer,
            Limits limits,
            Socket socket,
            Clock clock) {
        this.reads = reads;
        this.pusher = pusher;
        this.subscriptions = subscriptions;
        this.readers = readers;
        this.switches = switches;
        this.timer = timer;
        this.limits = limits;
        this.address = socket.address();
        this.anyAddress = socket.anyAddress();
        this.clock = clock;
        this.bootstrap = new Bootstrap()
                .group(socket.loops())
                .channelFactory(socket.newChannel()::get)
                .handler(new Acknowledgements());
    }

    /** Binds a free port. On a failure clients get changes only by their own queries. */
    public void start() {
        ChannelFuture bound = bootstrap.bind(address, 0).awaitUninterruptibly();
        if (bound.isSuccess()) {
            loop = bound.channel().eventLoop();
            channel = bound.channel();
        } else {
            log.warn(
                    "No UDP port can be bound on {}: {}; 1.x clients get changes only with their own queries",
                    address.getHostAddress(),
                    bound.cause().getMessage());
        }
    }

    /**
     * Lists a service for a client, and notifies it of later changes, with the list for its labels.
     *
     * @param ip an address; names are not resolved
     * @param port 0 without one
     * @param userAgent name and version of its SDK, which decides on pushes
     * @param by caller with the only possible address, unless {@code anyAddress}
     */
    public ServiceView list(
            Selection selection,
            boolean healthyOnly,
            String ip,
            int port,
            @Nullable String userAgent,
            String app,
            Caller by) {
        // Subscribes before the list, so that no change is missed.
        UdpSubscriber subscriber = subscriber(selection, ip, port, userAgent, app, by);
        if (subscriber == null) {
            readers.listed(selection, ip, userAgent == null ? "" : userAgent, app);
        }
        ServiceSnapshot snapshot = reads.listed(selection.service());
        long cacheMillis = switches.cacheMillis();
        if (subscriber != null) {
            subscriber.answered(pusher, snapshot.view(selection.clusters(), false, cacheMillis));
        }
        return snapshot.view(selection.clusters(), healthyOnly, cacheMillis);
    }

    /** Null if the client cannot subscribe. */
    private @Nullable UdpSubscriber subscriber(
            Selection selection, String ip, int port, @Nullable String userAgent, String app, Caller by) {
        if (channel == null || port <= 0 || port > MAX_PORT || !UdpAgents.takesPushes(userAgent, switches)) {
            return null;
        }
        InetAddress at = NetUtil.createInetAddressFromIpAddressString(ip);
        if (at == null || !anyAddress && !isOf(by.address(), at)) {
            return null;
        }
        UdpSubscriber.Key key = new UdpSubscriber.Key(selection, new InetSocketAddress(at, port));
        while (true) {
            UdpSubscriber known = subscribers.get(key);
            if (known == null) {
                if (subscribers.size() >= MAX_SUBSCRIBERS) {
                    return null;
                }
                known = subscribers.computeIfAbsent(key, absent -> subscribe(absent, String.valueOf(userAgent), app));
            }
            if (known.listedAgain(by.principal(), System.nanoTime(), clock.millis())) {
                return known;
            }
            subscribers.remove(key, known);
        }
    }

    /**
     * Whether the address is the caller's; a local caller may have any of the machine's. With other addresses a caller could make
     * this server send unrequested traffic.
     */
    private static boolean isOf(String caller, InetAddress at) {
        InetAddress from = NetUtil.createInetAddressFromIpAddressString(caller);
        if (from == null || from.equals(at)) {
            return from != null;
        }
        try {
            return from.isLoopbackAddress() && NetworkInterface.getByInetAddress(at) != null;
        } catch (SocketException e) {
            log.debug("The addresses of this machine cannot be read", e);
            return false;
        }
    }

    /** Removes clients whose callers lost the right to their services. */
    public void endUnless(BiPredicate<Principal, WatchedKey<?>> maySee) {
        subscribers.values().removeIf(subscriber -> subscriber.endUnless(maySee));
    }

    private UdpSubscriber subscribe(UdpSubscriber.Key key, String userAgent, String app) {
        long expiryNanos = Math.max(
                limits.minExpiry().toNanos(),
                TimeUnit.MILLISECONDS.toNanos(limits.missedLists() * switches.cacheMillis()));
        UdpSubscriber subscriber =
                new UdpSubscriber(this, key, userAgent, app, expiryNanos, System.nanoTime(), clock.millis());
        subscriber.watches(subscriptions.watch(key.selection(), subscriber));
        expireLater(subscriber, expiryNanos);
        return subscriber;
    }

    private void expireLater(UdpSubscriber subscriber, long nanos) {
        timer.newTimeout(
                fired -> {
                    long left = subscriber.closeIfOverdue(System.nanoTime());
                    if (left > 0) {
                        expireLater(subscriber, left);
                    } else {
                        subscribers.remove(subscriber.key(), subscriber);
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    /** Pairs of a client and a service. */
    public int size() {
        return subscribers.size();
    }

    /** Each once. Visits all pairs. */
    public Set<String> clientIds() {
        Set<String> clientIds = new LinkedHashSet<>();
        subscribers.keySet().forEach(key -> clientIds.add(key.clientId()));
        return clientIds;
    }

    /** Or null. Visits all pairs. */
    public @Nullable Client client(String id) {
        Client client = null;
        for (UdpSubscriber subscriber : subscribers.values()) {
            UdpSubscriber.Key key = subscriber.key();
            long listedMillis = subscriber.lastListedMillis();
            if (key.clientId().equals(id) && (client == null || client.lastListedMillis() < listedMillis)) {
                client = new Client(id, key.ip(), key.port(), listedMillis);
            }
        }
        return client;
    }

    Executor loop() {
        return loop;
    }

    Datagram datagram(ServiceView view) {
        return Datagram.of(view, ids.incrementAndGet());
    }

    void send(UdpSubscriber subscriber, Datagram datagram) {
        Channel bound = channel;
        byte[] bytes = datagram.bytes();
        if (bound != null && bytes != null) {
            InetSocketAddress to = subscriber.key().address();
            awaited.put(new Awaited(to, datagram.id()), subscriber);
            bound.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(bytes), to));
        }
    }

    Timeout afterAckTimeout(TimerTask task) {
        return timer.newTimeout(task, limits.ackTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    void forget(UdpSubscriber subscriber, Datagram datagram) {
        awaited.remove(new Awaited(subscriber.key().address(), datagram.id()));
    }

    @Override
    public void close() {
        Channel bound = channel;
        if (bound != null) {
            channel = null;
            bound.close();
        }
    }

    private final class Acknowledgements extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            Long id = id(packet.content().toString(StandardCharsets.UTF_8));
            UdpSubscriber subscriber = id == null ? null : awaited.get(new Awaited(packet.sender(), id));
            if (subscriber != null) {
                subscriber.acknowledged();
            }
        }

        private static @Nullable Long id(String json) {
            try {
                return JsonInput.read(json, in -> {
                    String id = null;
                    for (String name = in.nextField(); name != null; name = in.nextField()) {
                        if (name.equals("lastRefTime")) {
                            id = in.text();
                        } else {
                            in.skip();
                        }
                    }
                    return id == null ? null : Long.valueOf(id);
                });
            } catch (MalformedMessageException | NumberFormatException e) {
                log.debug("A datagram is not an acknowledgement: {}", e.getMessage());
                return null;
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // Some clients are gone when they are notified; the socket serves all others.
            log.debug("A datagram could not be sent or read: {}", cause.toString());
        }
    }
}
