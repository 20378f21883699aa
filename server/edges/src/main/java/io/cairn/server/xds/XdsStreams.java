package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.limit.Limit;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.push.PushBudget;
import io.cairn.server.subscription.ListAcknowledgements;
import io.cairn.server.xds.resource.ServiceProblems;
import io.cairn.server.xds.resource.ServiceResources;
import io.cairn.server.xds.resource.ServiceViewResources;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.resource.ViewResources;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Admission;
import io.cairn.server.xds.stream.ClientNames;
import io.cairn.server.xds.stream.RefusalReason;
import io.cairn.server.xds.stream.StreamHome;
import io.cairn.server.xds.stream.TypeState;
import io.cairn.server.xds.stream.XdsLimits;
import io.cairn.server.xds.stream.XdsNode;
import io.cairn.server.xds.stream.XdsStream;
import io.cairn.server.xds.view.DiscoveryMessages;
import io.cairn.server.xds.view.MeshView;
import io.cairn.server.xds.view.MeshViews;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
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

/** The mesh edge: serves the methods of ADS (xDS v3), SotW and delta. */
public final class XdsStreams implements AutoCloseable {

    private static final String SERVICE = "envoy.service.discovery.v3.AggregatedDiscoveryService/";

    private static final Logger log = LoggerFactory.getLogger(XdsStreams.class);

    private final XdsSettings settings;
    private final RegistryView reads;
    private final StoredResources stored;
    private final XdsAccess access;
    private final LargeResponses large;
    private final Clock clock;
    private final XdsMeters meters;
    private final Function<ViewKey, ViewResources> resources;
    private final MeshViews views;
    private final ViewLimit viewLimit;
    private final ClientNames names;
    private final RefusedClients refused;
    private final Limit clusterLimit;
    private final LongAdder encodedEndpoints = new LongAdder();
    private final Set<XdsStream> streams = ConcurrentHashMap.newKeySet();
    private final StreamHome home = new Home();
    private final AtomicLong opened = new AtomicLong();
    private volatile boolean stopped;
    private volatile boolean storedRead;

    /** @param budget of large responses under way */
    public XdsStreams(
            XdsSettings settings,
            RegistryView reads,
            StoredResources stored,
            XdsAccess access,
            PushBudget budget,
            Clock clock,
            MeterRegistry meters) {
        this.settings = settings;
        this.reads = reads;
        this.stored = stored;
        this.access = access;
        this.large = new LargeResponses(budget);
        this.clock = clock;
        this.meters = new XdsMeters(meters, this::waiting);
        ServiceResources encoder = new ServiceResources(settings.localityKeys());
        this.resources = key -> new ServiceViewResources(key, reads, encoder, stored, encodedEndpoints);
        this.refused = new RefusedClients(clock);
        this.views = new MeshViews(
                resources, settings.maxClusters(), new DiscoveryMessages(settings.identifier()), System::nanoTime);
        this.names = new ClientNames(XdsLimits.maxNamesOfClient(settings.maxClusters()));
        this.clusterLimit = settings.clusters().measuredBy(views::mostClusters);
        this.viewLimit = new ViewLimit(views, settings.maxViews());
        stored.follow(this::storedChanged);
    }

    /** By full name. */
    public Map<String, Call.Handler> methods() {
        return Map.of(
                SERVICE + "StreamAggregatedResources", new Handler(false),
                SERVICE + "DeltaAggregatedResources", new Handler(true));
    }

    /** @param server the address of this node */
    public MeshReads reads(String server) {
        return new ProxyList(() -> streams, refused, resources, stored, server, clock, new ServiceProblems(reads));
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

    /** The clients' acknowledgements of endpoints. */
    public ListAcknowledgements acknowledgements(Timer timer) {
        return new MeshAcknowledgements(views, timer);
    }

    /** Called for each change of a service. */
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
                meters.refused(RefusalReason.UNAVAILABLE);
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
        String address = XdsStream.addressOf(call).replace(':', '_');
        return clock.millis() + "_" + address + "_" + opened.incrementAndGet();
    }

    private ViewKey keyOf(XdsStream stream, XdsNode node, Principal principal) {
        Namespace namespace = node.namespace();
        String address = XdsStream.ipOf(stream.call());
        return new ViewKey(
                namespace,
                node.services() == null ? null : List.copyOf(node.services()),
                node.flavour(),
                reads.labelsOf(address),
                principal.readable(namespace, ResourceType.NAMING),
                principal.readable(namespace, ResourceType.CONFIG),
                stored.readerOf(namespace, node.cluster(), node.grayClient(address)));
    }

    private void storedChanged(Namespace namespace) {
        views.storedChanged(namespace);
        for (XdsStream stream : streams) {
            // On the loop: a client that is admitted at this moment is known there.
            stream.execute(() -> stream.recheck(namespace));
        }
    }

    /** Reads the stored resources for the first stream, and continues the stream. */
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
        waiting.execute(() -> {
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
            access.note(stream, node);
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
        public ClientNames names() {
            return names;
        }

        @Override
        public int maxClusters() {
            return settings.maxClusters();
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
            views.answered();
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
        public int reserve(int bytes, BooleanSupplier turn) {
            return large.reserve(bytes, turn);
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
        public void ended(XdsStream stream, @Nullable XdsNode node, RefusalReason reason, String why) {
            if (!stopped) {
                meters.refused(reason);
                refused.note(stream, node, reason, why);
            }
        }

        @Override
        public void lacksClusters() {
            clusterLimit.countExceeded();
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
            views.answered();
        }
    }

    public Collection<XdsStream> streams() {
        return streams;
    }

    /** All streams check their rights and views: accounts or labels of addresses have changed. */
    public void recheck() {
        for (XdsStream stream : streams) {
            stream.execute(stream::recheck);
        }
    }

    public int size() {
        return streams.size();
    }

    public long encodedEndpoints() {
        return encodedEndpoints.sum();
    }

    /** Ends all streams before the registry changes for the stop; refuses new ones. */
    @Override
    public void close() {
        stopped = true;
        views.close();
        for (XdsStream stream : streams) {
            stream.execute(() -> stream.end(GrpcStatus.UNAVAILABLE, "the server is stopping; connect to another one"));
        }
    }
}
