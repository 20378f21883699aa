package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
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
import org.jspecify.annotations.Nullable;

/** The mesh edge: serves the methods of the aggregated discovery service (ADS, xDS v3), SotW and delta. Thread-safe. */
public final class XdsStreams implements AutoCloseable {

    private static final String SERVICE = "envoy.service.discovery.v3.AggregatedDiscoveryService/";

    private final XdsSettings settings;
    private final NamingService naming;
    private final XdsAccess access;
    private final BooleanSupplier ready;
    private final PushBudget budget;
    private final Clock clock;
    private final XdsMeters meters;
    private final MeshViews views;
    private final LongAdder encodedEndpoints = new LongAdder();
    private final Set<XdsStream> streams = ConcurrentHashMap.newKeySet();
    private final StreamHome home = new Home();
    private final AtomicLong opened = new AtomicLong();
    private volatile boolean stopped;

    /**
     * @param ready whether clients are served; an empty registry must never be handed out
     * @param budget of the bytes of large responses that are not acknowledged
     */
    public XdsStreams(
            XdsSettings settings,
            NamingService naming,
            XdsAccess access,
            BooleanSupplier ready,
            PushBudget budget,
            Clock clock,
            MeterRegistry meters) {
        this.settings = settings;
        this.naming = naming;
        this.access = access;
        this.ready = ready;
        this.budget = budget;
        this.clock = clock;
        this.meters = new XdsMeters(meters);
        ServiceResources encoder = new ServiceResources(settings.localityKeys());
        this.views = new MeshViews(
                key -> new ServiceViewResources(key, naming, encoder, encodedEndpoints), System::nanoTime);
    }

    /** The handlers of the methods, by their full names. */
    public Map<String, Call.Handler> methods() {
        return Map.of(
                SERVICE + "StreamAggregatedResources", new Handler(false),
                SERVICE + "DeltaAggregatedResources", new Handler(true));
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
            if (stopped || !ready.getAsBoolean()) {
                stream.refuse(
                        GrpcStatus.UNAVAILABLE, stopped ? "the server is stopping" : "the server is not ready yet");
                return stream;
            }
            call.sendHeaders();
            streams.add(stream);
            meters.opened(delta);
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
        Map<String, String> labels = naming.labelsOf(address);
        return new ViewKey(
                namespace,
                node.services() == null ? null : List.copyOf(node.services()),
                node.flavour(),
                labels,
                labels.isEmpty() ? "" : address,
                principal.readable(namespace, ResourceType.NAMING),
                principal.readable(namespace, ResourceType.CONFIG));
    }

    private final class Home implements StreamHome {

        @Override
        public XdsStream.Admission admit(XdsStream stream, XdsNode node) {
            Identity caller = access.identify(stream.call(), node);
            XdsStream.Refused refusal = access.refusal(caller, node.namespace());
            if (refusal != null) {
                return refusal;
            }
            Principal principal = (Principal) caller;
            return new XdsStream.Admitted(principal, views.enter(keyOf(stream, node, principal)));
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
            meters.acknowledged(System.nanoTime() - type.publishedNanos());
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
        public int take(int bytes, XdsStream stream) {
            if (bytes <= PushBudget.SMALL_BYTES) {
                return 0;
            }
            if (budget.take(bytes)) {
                return bytes;
            }
            budget.await(() -> {
                if (stream.hasEnded()) {
                    return false;
                }
                XdsStream.execute(stream.loop(), stream::advance);
                return true;
            });
            return -1;
        }

        @Override
        public void release(int bytes) {
            if (bytes > 0) {
                budget.release(bytes);
            }
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
