package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceListener;
import io.cairn.server.push.PushBudget;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The mesh edge: serves the methods of the aggregated discovery service (ADS, xDS v3), SotW and delta. Thread-safe. */
public final class XdsStreams implements AutoCloseable {

    private static final String SERVICE = "envoy.service.discovery.v3.AggregatedDiscoveryService/";

    private static final Logger log = LoggerFactory.getLogger(XdsStreams.class);

    private final XdsSettings settings;
    private final NamingService naming;
    private final StoredResources stored;
    private final XdsAccess access;
    private final LargeResponses large;
    private final Clock clock;
    private final XdsMeters meters;
    private final Function<ViewKey, ViewResources> resources;
    private final MeshViews views;
    private final ViewLimit viewLimit;
    private final LongAdder encodedEndpoints = new LongAdder();
    private final Set<XdsStream> streams = ConcurrentHashMap.newKeySet();
    private final StreamHome home = new Home();
    private final AtomicLong opened = new AtomicLong();
    private volatile boolean stopped;
    private volatile boolean storedRead;

    /** @param budget of the bytes of large responses that are under way */
    public XdsStreams(
            XdsSettings settings,
            NamingService naming,
            StoredResources stored,
            XdsAccess access,
            PushBudget budget,
            Clock clock,
            MeterRegistry meters) {
        this.settings = settings;
        this.naming = naming;
        this.stored = stored;
        this.access = access;
        this.large = new LargeResponses(budget);
        this.clock = clock;
        this.meters = new XdsMeters(meters, this::waiting);
        ServiceResources encoder = new ServiceResources(settings.localityKeys());
        this.resources = key -> new ServiceViewResources(key, naming, encoder, stored, encodedEndpoints);
        this.views = new MeshViews(resources, XdsLimits.maxNamesOfView(settings.maxClusters()), System::nanoTime);
        this.viewLimit = new ViewLimit(views, settings.maxViews());
        stored.follow(this::storedChanged);
    }

    /** The handlers of the methods, by their full names. */
    public Map<String, Call.Handler> methods() {
        return Map.of(
                SERVICE + "StreamAggregatedResources", new Handler(false),
                SERVICE + "DeltaAggregatedResources", new Handler(true));
    }

    /**
     * The clients, for operators.
     *
     * @param server the address of this node
     */
    public MeshReads reads(String server) {
        return new ProxyList(() -> streams, resources, server, clock, new ServiceProblems(naming));
    }

    private int waiting(XdsType type) {
        long now = clock.millis();
        int count = 0;
        for (XdsStream stream : streams) {
            for (TypeState each : stream.subscribedTypes()) {
                count += each.type() == type && ProxyList.isWaiting(each.unansweredSinceMillis(), now) ? 1 : 0;
            }
        }
        return count;
    }

    /** To be called for each change of a service. */
    public ServiceListener follower() {
        return views;
    }

    private final class Handler implements Call.Handler {

        private final boolean delta;

        Handler(boolean delta) {
            this.delta = delta;
        }

        @Override
        public boolean takesCredentials() {
            return true;
        }

        @Override
        public Call.Listener start(Call call) {
            XdsStream stream = new XdsStream(call, delta, newId(call), home, clock.millis());
            if (stopped || !access.isOpen()) {
                stream.refuse(
                        GrpcStatus.UNAVAILABLE, stopped ? "the server is stopping" : "the server is not ready yet");
                return stream;
            }
            call.sendHeaders();
            streams.add(stream);
            meters.opened(delta);
            stream.awaitFirst();
            if (stopped) {
                stream.end(GrpcStatus.UNAVAILABLE, "the server is stopping");
            }
            return stream;
        }
    }

    private String newId(Call call) {
        String address = addressOf(call).replace(':', '_');
        return clock.millis() + "_" + address + "_" + opened.incrementAndGet();
    }

    /** Address and port of the client. */
    static String addressOf(Call call) {
        SocketAddress remote = call.channel().remoteAddress();
        return remote instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
                : "127.0.0.1:0";
    }

    private static String ipOf(Call call) {
        SocketAddress remote = call.channel().remoteAddress();
        return remote instanceof InetSocketAddress inet ? inet.getAddress().getHostAddress() : "127.0.0.1";
    }

    /** The kind of node that the stream has at present. */
    private ViewKey keyOf(XdsStream stream, XdsNode node, Principal principal) {
        Namespace namespace = node.namespace();
        String address = ipOf(stream.call());
        return new ViewKey(
                namespace,
                node.services() == null ? null : List.copyOf(node.services()),
                node.flavour(),
                naming.labelsOf(address),
                principal.readable(namespace, ResourceType.NAMING),
                principal.readable(namespace, ResourceType.CONFIG),
                stored.readerOf(namespace, node.cluster(), address, node.tag()));
    }

    private void storedChanged(Namespace namespace) {
        views.storedChanged(namespace);
        for (XdsStream stream : streams) {
            // On the loop: a client that is admitted at this moment is known there.
            XdsStream.execute(stream.loop(), () -> stream.recheck(namespace));
        }
    }

    /** Reads the stored resources, which the first stream waits for, and goes on with the stream. */
    private void readStored(XdsStream waiting) {
        String failure = null;
        try {
            stored.start();
            storedRead = true;
        } catch (CairnException e) {
            log.warn("A stream of the mesh is refused, because the stored resources cannot be read: {}", e.text());
            failure = "the stored resources of the mesh cannot be read at present: " + e.text();
        } catch (RuntimeException | Error e) {
            log.error("A stream of the mesh is refused, because the stored resources cannot be read", e);
            failure = "the stored resources of the mesh cannot be read at present; the server's log has why";
        }
        String why = failure;
        XdsStream.execute(waiting.loop(), () -> {
            if (why == null) {
                waiting.resume();
            } else {
                waiting.end(GrpcStatus.UNAVAILABLE, why);
            }
        });
    }

    private final class Home implements StreamHome {

        @Override
        public Admission admit(XdsStream stream, XdsNode node) {
            Identity caller = access.identify(stream.call(), node);
            Admission.Refused refusal = access.refusal(caller, node.namespace());
            if (refusal != null) {
                return refusal;
            }
            if (!storedRead) {
                views.execute(() -> readStored(stream));
                return Admission.Postponed.INSTANCE;
            }
            Principal principal = (Principal) caller;
            return admitted(principal, keyOf(stream, node, principal));
        }

        private Admission admitted(Principal principal, ViewKey key) {
            Admission.Refused refusal = viewLimit.refusal(key);
            return refusal == null ? new Admission.Admitted(principal, views.enter(key)) : refusal;
        }

        @Override
        public Admission readmit(XdsStream stream, XdsNode node, Principal before, MeshView view) {
            Principal present = access.present(before);
            if (present == null) {
                return new Admission.Refused(
                        GrpcStatus.UNAUTHENTICATED,
                        "the credentials of '" + before.name() + "' are no longer valid; connect with new ones");
            }
            Admission.Refused refusal = access.refusal(present, node.namespace());
            if (refusal != null) {
                return refusal;
            }
            ViewKey key = keyOf(stream, node, present);
            return key.equals(view.key()) ? new Admission.Admitted(present, view) : admitted(present, key);
        }

        @Override
        public void left(MeshView view) {
            views.leave(view);
        }

        @Override
        public int maxClusters() {
            return settings.maxClusters();
        }

        @Override
        public String tooManyClusters(int clusters, @Nullable XdsNode node) {
            return clusters + " clusters are too many for one client (limit cairn.xds.max-clusters: "
                    + settings.maxClusters()
                    + "); set node.metadata.services of '" + (node == null ? "" : node.id())
                    + "' to the services that it needs, such as [\"orders\", \"payment-*\"]";
        }

        @Override
        public long nowMillis() {
            return clock.millis();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void sent(XdsType type, int bytes) {
            meters.sent(type, bytes);
        }

        @Override
        public void acknowledged(TypeState type, boolean refusedBefore) {
            if (type.publishedNanos() != 0) {
                meters.acknowledged(System.nanoTime() - type.publishedNanos());
            }
            if (refusedBefore) {
                meters.refusalGone(type.type());
            }
        }

        @Override
        public void refused(TypeState type, boolean refusedBefore) {
            meters.refused(type.type(), refusedBefore);
        }

        @Override
        public void refusalGone(TypeState type) {
            meters.refusalGone(type.type());
        }

        @Override
        public int take(int bytes, BooleanSupplier turn) {
            return large.take(bytes, turn);
        }

        @Override
        public void release(int bytes) {
            large.release(bytes);
        }

        @Override
        public void passOn() {
            large.passOn();
        }

        @Override
        public void closed(XdsStream stream) {
            if (streams.remove(stream)) {
                meters.closed(stream.isDelta());
            }
            MeshView view = stream.view();
            if (view != null) {
                views.leave(view);
            }
        }
    }

    Collection<XdsStream> streams() {
        return streams;
    }

    /** Has all streams look whether they may go on and see the same as before: accounts or labels of addresses have changed. */
    public void recheck() {
        for (XdsStream stream : streams) {
            XdsStream.execute(stream.loop(), stream::recheck);
        }
    }

    /** How many streams there are. */
    public int size() {
        return streams.size();
    }

    /** How many lists of endpoints were encoded since the start. */
    public long encodedEndpoints() {
        return encodedEndpoints.sum();
    }

    /** Ends all streams, before the registry changes because the server stops; refuses new ones. */
    @Override
    public void close() {
        stopped = true;
        views.close();
        for (XdsStream stream : streams) {
            XdsStream.execute(
                    stream.loop(),
                    () -> stream.end(GrpcStatus.UNAVAILABLE, "the server is stopping; connect to another one"));
        }
    }
}
