package io.cairn.server.xds.stream;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.http2.Call;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.xds.LargeResponses;
import io.cairn.server.xds.RefusedClients;
import io.cairn.server.xds.resource.Flavour;
import io.cairn.server.xds.resource.Resource;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.resource.ViewResources;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.view.ClusterLimit;
import io.cairn.server.xds.view.ClusterWarnings;
import io.cairn.server.xds.view.DiscoveryMessages;
import io.cairn.server.xds.view.MeshPace;
import io.cairn.server.xds.view.MeshView;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A view whose resources a test sets, with streams on the thread of the test. */
public final class FakeMesh implements StreamHome, ViewResources {

    /** Of one client. */
    public static final int MAX_NAMES = 20_000;

    public final List<TestStream> streams = new ArrayList<>();
    public final Set<String> routed = new HashSet<>();
    public final List<String> events = new ArrayList<>();
    /** Names that cannot be looked up. */
    public final Set<String> failing = new HashSet<>();
    /** Whether nothing can be listed or named. */
    public boolean broken;

    public int storedTaken;
    private final Map<XdsType, Map<String, Found>> resources = new EnumMap<>(XdsType.class);
    private final Map<XdsType, Map<String, String>> contents = new EnumMap<>(XdsType.class);
    public final RefusedClients refused = new RefusedClients(clock());
    private final ClientNames names = new ClientNames(MAX_NAMES);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;
    private boolean held;
    public final MeshView view;
    /** The view of a stream that is checked again. */
    public MeshView next;

    public long nanos = 1_000_000_000L;
    public int maxClusters;
    public long budget = Long.MAX_VALUE;
    public long taken;
    /** The answer to a client that wants a stream; null when it is admitted. */
    public Admission.@Nullable Refused refusal;

    public boolean postponed;

    /** In place of {@link #budget}, with its limit on large responses only. */
    public @Nullable LargeResponses large;

    /** How often a stream had to wait for room. */
    public int waits;

    private Clock clock() {
        return new Clock() {
            @Override
            public long millis() {
                return nowMillis();
            }

            @Override
            public Instant instant() {
                return Instant.ofEpochMilli(millis());
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }

    public FakeMesh() {
        this(10_000);
    }

    /** @param maxClusters of a client that subscribes to all */
    public FakeMesh(int maxClusters) {
        this.maxClusters = maxClusters;
        this.view = new MeshView(
                new ViewKey(
                        Namespace.DEFAULT,
                        null,
                        Flavour.ENVOY,
                        Map.of(),
                        ReadScope.ALL,
                        ReadScope.ALL,
                        StoredResources.Reader.any(Namespace.DEFAULT)),
                this,
                this::execute,
                new MeshPace(),
                new ClusterLimit(maxClusters, new ClusterWarnings()),
                new DiscoveryMessages("cairn@test"));
        this.next = view;
        for (XdsType type : XdsType.values()) {
            resources.put(type, new TreeMap<>());
            contents.put(type, new HashMap<>());
        }
    }

    private void execute(Runnable task) {
        tasks.add(task);
        if (!running && !held) {
            runTasks();
            settle();
        }
    }

    /** Keeps the tasks of the mesh until {@link #runHeld}. */
    public void hold() {
        held = true;
    }

    /** Runs the tasks of the mesh that were kept, and none of the streams'. */
    public void runHeld() {
        held = false;
        runTasks();
    }

    private void runTasks() {
        running = true;
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
        view.takeDemands(nanos);
        running = false;
    }

    /** Has the event loops of all streams run what they were given. */
    public void settle() {
        streams.forEach(stream -> stream.call.channel().runPendingTasks());
    }

    /** Sets resources, without a publication. A cluster waits for the endpoints of its name. */
    public FakeMesh set(XdsType type, String content, String... names) {
        for (String name : names) {
            Set<String> endpoints = type == XdsType.CDS ? Set.of(name) : Set.of();
            boolean listed = type.isWholeInSotw();
            byte[] value = new Frames.Message().text(1, name).text(99, content).toBytes();
            contents.get(type).put(name, content);
            resources.get(type).put(name, new Found(Resource.of(type, name, value), listed, endpoints, false));
            view.changed(type, List.of(name));
        }
        return this;
    }

    public FakeMesh remove(XdsType type, String... names) {
        for (String name : names) {
            resources.get(type).remove(name);
            view.changed(type, List.of(name));
        }
        return this;
    }

    /** Publishes what was set, however long the view has to rest first. */
    public void publish() {
        nanos += 2_000_000_000L;
        view.update(nanos);
        settle();
    }

    /** The resources that a client of that subscription must have in the end: by name the content, or for delta the version. */
    public Map<String, String> expected(XdsType type, boolean delta, boolean wildcard, Set<String> names) {
        Map<String, String> all = new TreeMap<>();
        resources.get(type).forEach((name, found) -> {
            if (wildcard && found.listed() || names.contains(name)) {
                all.put(
                        name,
                        delta ? found.resource().version() : contents.get(type).get(name));
            }
        });
        return all;
    }

    public Set<String> names(XdsType type) {
        return resources.get(type).keySet();
    }

    public TestStream sotw() {
        return open(false);
    }

    public TestStream delta() {
        return open(true);
    }

    private TestStream open(boolean delta) {
        TestStream stream = new TestStream(this, delta);
        streams.add(stream);
        return stream;
    }

    public XdsStream newStream(Call call, boolean delta) {
        return new XdsStream(call, delta, "stream-" + streams.size(), this, 0);
    }

    @Override
    public @Nullable Found find(XdsType type, String name) {
        if (failing.contains(name)) {
            throw new IllegalStateException("this name cannot be looked up");
        }
        return resources.get(type).get(name);
    }

    @Override
    public Collection<String> listed(XdsType type) {
        checkIsWhole();
        return resources.get(type).keySet();
    }

    @Override
    public @Nullable String nameOf(ServiceKey service) {
        checkIsWhole();
        return service.name();
    }

    private void checkIsWhole() {
        if (broken) {
            throw new IllegalStateException("nothing can be listed or named");
        }
    }

    @Override
    public @Nullable ServiceKey serviceOf(String name) {
        return new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, name);
    }

    @Override
    public boolean mayRead(Found found) {
        return true;
    }

    @Override
    public boolean isRoutedTo(String cluster) {
        return routed.contains(cluster);
    }

    @Override
    public StoredChange takeStored() {
        storedTaken++;
        return StoredChange.NONE;
    }

    @Override
    public Admission admit(XdsStream stream, XdsNode node) {
        if (refusal != null) {
            return refusal;
        }
        if (postponed) {
            return Admission.Postponed.INSTANCE;
        }
        view.entered();
        return new Admission.Admitted(Principal.UNCHECKED, view);
    }

    @Override
    public Admission readmit(XdsStream stream, XdsNode node, Principal before, MeshView present) {
        return new Admission.Admitted(before, next);
    }

    @Override
    public void left(MeshView left) {
        events.add("left a view");
    }

    @Override
    public ClientNames names() {
        return names;
    }

    @Override
    public int maxClusters() {
        return maxClusters;
    }

    @Override
    public long nowMillis() {
        return nanos / 1_000_000;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void sent(XdsType type, int bytes) {
        events.add("sent " + type.shortName());
    }

    @Override
    public void acknowledged(TypeState type, boolean refusedBefore) {
        events.add("acknowledged " + type.type().shortName() + (refusedBefore ? " after a refusal" : ""));
    }

    @Override
    public void refused(TypeState type, boolean refusedBefore) {
        events.add("refused " + type.type().shortName() + ": " + type.error());
    }

    @Override
    public void refusalGone(TypeState type) {
        events.add("gone " + type.type().shortName());
    }

    @Override
    public int reserve(int bytes, BooleanSupplier turn) {
        if (large != null) {
            int room = large.reserve(bytes, turn);
            waits += room < 0 ? 1 : 0;
            return room;
        }
        if (taken + bytes > budget) {
            return -1;
        }
        taken += bytes;
        return bytes;
    }

    @Override
    public void release(int bytes) {
        if (large != null) {
            large.release(bytes);
        }
        taken -= bytes;
    }

    @Override
    public void passOn() {
        if (large != null) {
            large.passOn();
        }
    }

    @Override
    public void ended(XdsStream stream, @Nullable XdsNode node, RefusalReason reason, String why) {
        events.add("ended " + reason.tag());
        refused.note(stream, node, reason, why);
    }

    @Override
    public void lacksClusters() {
        events.add("lacks clusters");
    }

    @Override
    public void closed(XdsStream stream) {
        events.add("closed");
    }
}
