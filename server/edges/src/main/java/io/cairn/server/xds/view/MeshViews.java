package io.cairn.server.xds.view;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.resource.ViewResources;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All views, one for each kind of node with streams. Follows the registry from the first stream on. */
public final class MeshViews implements ServiceListener, AutoCloseable {

    /** A view without streams is kept for this time, for returning clients. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(MeshViews.class);

    private final Function<ViewKey, ViewResources> resources;
    private final ClusterLimit clusterLimit;
    private final DiscoveryMessages messages;
    private final LongSupplier nanoTime;
    private final MeshThread thread;
    private final Map<ViewKey, MeshView> views = new ConcurrentHashMap<>();
    private final Set<ServiceKey> dirty = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean signalled = new AtomicBoolean();
    private final Set<EndpointWait> waits = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param maxClusters of a wildcard stream */
    public MeshViews(
            Function<ViewKey, ViewResources> resources,
            int maxClusters,
            DiscoveryMessages messages,
            LongSupplier nanoTime) {
        this(resources, maxClusters, messages, nanoTime, MeshViews::daemon);
    }

    /** @param threads makes the thread that calls {@link #turn} repeatedly */
    public MeshViews(
            Function<ViewKey, ViewResources> resources,
            int maxClusters,
            DiscoveryMessages messages,
            LongSupplier nanoTime,
            ThreadFactory threads) {
        this.messages = messages;
        this.resources = resources;
        this.clusterLimit = new ClusterLimit(maxClusters, new ClusterWarnings());
        this.nanoTime = nanoTime;
        this.thread = new MeshThread(this::round, threads);
    }

    private static Thread daemon(Runnable work) {
        Thread made = new Thread(work, "cairn-mesh");
        made.setDaemon(true);
        return made;
    }

    /** Does all due work, on the mesh thread. Returns the time until the next call, in nanoseconds. */
    public long turn() {
        return thread.turn();
    }

    /** The view of that kind; {@link #leave} releases it. */
    public MeshView enter(ViewKey key) {
        thread.start();
        return views.compute(key, (same, present) -> {
            MeshView view = present == null
                    ? new MeshView(same, resources.apply(same), thread, new MeshPace(), clusterLimit, messages)
                    : present;
            view.entered();
            if (present == null) {
                // A change of the stored resources after their read has not found this view.
                thread.execute(() -> attempt(view, () -> view.storedChanged(nanoTime.getAsLong())));
            }
            return view;
        });
    }

    public void leave(MeshView view) {
        views.computeIfPresent(view.key(), (same, present) -> {
            view.left(nanoTime.getAsLong());
            return present;
        });
        thread.execute(() -> {});
    }

    public Collection<MeshView> views() {
        return views.values();
    }

    /** The wildcard clusters of the largest view. */
    public int mostClusters() {
        int most = 0;
        for (MeshView view : views.values()) {
            most = Math.max(most, view.state().listedClusters());
        }
        return most;
    }

    /** Runs a task on the mesh thread, in order. */
    public void execute(Runnable task) {
        thread.start();
        thread.execute(task);
    }

    /** Called after a change of the namespace's stored resources. */
    public void storedChanged(Namespace namespace) {
        if (thread.isStarted()) {
            thread.execute(() -> {
                for (MeshView view : views.values()) {
                    if (view.key().namespace().equals(namespace)) {
                        attempt(view, () -> view.storedChanged(nanoTime.getAsLong()));
                    }
                }
            });
        }
    }

    @Override
    public void changed(ServiceKey service, Presence presence) {
        if (thread.isStarted() && dirty.add(service) && !signalled.getAndSet(true)) {
            thread.execute(() -> {});
        }
    }

    @Override
    public void removed(ServiceKey service) {
        changed(service, Presence.SAME);
    }

    /** Waits until the streams of this moment have acknowledged the present endpoints of the service. */
    public EndpointWait await(ServiceKey service) {
        EndpointWait wait = new EndpointWait(service);
        if (!thread.isStarted()) {
            wait.miss(List.of());
            return wait;
        }
        // The registry's own call may follow later.
        changed(service, Presence.SAME);
        waits.add(wait);
        if (closed) {
            failWaits();
        }
        thread.execute(() -> {});
        return wait;
    }

    public void giveUp(EndpointWait wait) {
        thread.execute(() -> {
            if (waits.remove(wait)) {
                wait.giveUp(views.values());
            }
        });
    }

    /** A wait that has ended with all streams, because this node does not show the change. */
    public EndpointWait missed(ServiceKey service) {
        EndpointWait wait = new EndpointWait(service);
        if (thread.isStarted()) {
            giveUpAtOnce(wait);
        } else {
            wait.miss(List.of());
        }
        return wait;
    }

    private void giveUpAtOnce(EndpointWait wait) {
        waits.add(wait);
        if (closed) {
            failWaits();
        }
        thread.execute(() -> {
            if (waits.remove(wait)) {
                wait.miss(views.values());
            }
        });
    }

    /** Called for each answer or end of a stream. */
    public void answered() {
        if (!waits.isEmpty() && !signalled.getAndSet(true)) {
            thread.execute(() -> {});
        }
    }

    private void failWaits() {
        CairnException stopping = Registry.stopping();
        waits.removeIf(wait -> {
            wait.fail(stopping);
            return true;
        });
    }

    private long round() {
        signalled.set(false);
        for (Iterator<ServiceKey> changed = dirty.iterator(); changed.hasNext(); ) {
            ServiceKey service = changed.next();
            // Removed before the check: a later change is checked again.
            changed.remove();
            for (MeshView view : views.values()) {
                if (view.key().namespace().equals(service.namespace())) {
                    attempt(view, () -> view.changed(service));
                }
            }
        }
        long next = Long.MAX_VALUE;
        for (MeshView view : views.values()) {
            long now = nanoTime.getAsLong();
            if (view.isUnused()) {
                next = Math.min(next, retire(view, now));
            } else if (attempt(view, () -> update(view, now))) {
                next = Math.min(next, view.dueInNanos(nanoTime.getAsLong()));
            } else {
                next = Math.min(next, AFTER_FAILURE_NANOS);
            }
        }
        waits.removeIf(wait -> wait.check(views.values()));
        return next;
    }

    private static void update(MeshView view, long nowNanos) {
        view.takeDemands(nowNanos);
        if (view.dueInNanos(nowNanos) <= 0) {
            view.update(nowNanos);
        }
    }

    /** False for a failure, which is logged: it must not delay other views. */
    private static boolean attempt(MeshView view, Runnable work) {
        try {
            work.run();
            return true;
        } catch (RuntimeException | Error e) {
            log.error(
                    "A view of the namespace '{}' could not be updated",
                    view.key().namespace().id(),
                    e);
            return false;
        }
    }

    /** Returns the time until the next check. */
    private long retire(MeshView view, long nowNanos) {
        MeshView kept = views.computeIfPresent(
                view.key(),
                (same, present) -> present == view && present.isIdle(nowNanos, IDLE_NANOS) ? null : present);
        return kept == view ? IDLE_NANOS : Long.MAX_VALUE;
    }

    @Override
    public void close() {
        closed = true;
        failWaits();
        thread.close();
    }
}
