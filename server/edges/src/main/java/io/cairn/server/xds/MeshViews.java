package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.ServiceListener;
import java.util.Collection;
import java.util.Iterator;
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

/** All views, one for each kind of node with streams. It follows the registry once there is a stream. Thread-safe. */
final class MeshViews implements ServiceListener, AutoCloseable {

    /** A view without streams is kept for as long, for clients that connect again. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(MeshViews.class);

    private final Function<ViewKey, ViewResources> resources;
    private final int maxNames;
    private final LongSupplier nanoTime;
    private final MeshThread thread;
    private final Map<ViewKey, MeshView> views = new ConcurrentHashMap<>();
    private final Set<ServiceKey> dirty = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean signalled = new AtomicBoolean();

    /** @param maxNames of one type that the streams of a view may ask for */
    MeshViews(Function<ViewKey, ViewResources> resources, int maxNames, LongSupplier nanoTime) {
        this(resources, maxNames, nanoTime, MeshViews::daemon);
    }

    /** @param threads makes the thread that calls {@link #turn} again and again */
    MeshViews(Function<ViewKey, ViewResources> resources, int maxNames, LongSupplier nanoTime, ThreadFactory threads) {
        this.resources = resources;
        this.maxNames = maxNames;
        this.nanoTime = nanoTime;
        this.thread = new MeshThread(this::round, threads);
    }

    private static Thread daemon(Runnable work) {
        Thread made = new Thread(work, "cairn-mesh");
        made.setDaemon(true);
        return made;
    }

    /** Does what there is to do, once; on the thread of the mesh. Returns after how many nanoseconds it is to be called again. */
    long turn() {
        return thread.turn();
    }

    /** The view for that kind of node; to be given back with {@link #leave}. */
    MeshView enter(ViewKey key) {
        thread.start();
        return views.compute(key, (same, present) -> {
            MeshView view = present == null
                    ? new MeshView(same, resources.apply(same), thread, new MeshPace(), maxNames)
                    : present;
            view.entered();
            if (present == null) {
                // A change of the stored resources after they were read has not found the view among the others.
                thread.execute(() -> attempt(view, () -> view.storedChanged(nanoTime.getAsLong())));
            }
            return view;
        });
    }

    void leave(MeshView view) {
        views.computeIfPresent(view.key(), (same, present) -> {
            view.left(nanoTime.getAsLong());
            return present;
        });
        thread.execute(() -> {});
    }

    Collection<MeshView> views() {
        return views.values();
    }

    /** Runs it on the thread of the mesh, after what was asked of it before. */
    void execute(Runnable task) {
        thread.start();
        thread.execute(task);
    }

    /** To be called after stored resources of the namespace have changed. */
    void storedChanged(Namespace namespace) {
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

    private long round() {
        signalled.set(false);
        for (Iterator<ServiceKey> changed = dirty.iterator(); changed.hasNext(); ) {
            ServiceKey service = changed.next();
            // Before it is looked at: a change meanwhile is looked at once more.
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
        return next;
    }

    private static void update(MeshView view, long nowNanos) {
        view.takeDemands(nowNanos);
        if (view.dueInNanos(nowNanos) <= 0) {
            view.update(nowNanos);
        }
    }

    /** False when it has failed, which is logged: it must not hold up the other views. */
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

    /** Returns when it is to be looked at again. */
    private long retire(MeshView view, long nowNanos) {
        MeshView kept = views.computeIfPresent(
                view.key(),
                (same, present) -> present == view && present.isIdle(nowNanos, IDLE_NANOS) ? null : present);
        return kept == view ? IDLE_NANOS : Long.MAX_VALUE;
    }

    @Override
    public void close() {
        thread.close();
    }
}
