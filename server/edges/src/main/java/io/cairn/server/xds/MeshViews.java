package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.ServiceListener;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** All views, one for each kind of node with streams. It follows the registry once there is a stream. Thread-safe. */
final class MeshViews implements ServiceListener, AutoCloseable {

    /** A view without streams is kept for as long, for clients that connect again. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Function<ViewKey, ViewResources> resources;
    private final LongSupplier nanoTime;
    private final MeshThread thread;
    private final Map<ViewKey, MeshView> views = new ConcurrentHashMap<>();
    private final Set<ServiceKey> dirty = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean signalled = new AtomicBoolean();

    MeshViews(Function<ViewKey, ViewResources> resources, LongSupplier nanoTime) {
        this.resources = resources;
        this.nanoTime = nanoTime;
        this.thread = new MeshThread(this::round);
    }

    /** The view for that kind of node; to be given back with {@link #leave}. */
    MeshView enter(ViewKey key) {
        thread.start();
        return views.compute(key, (same, present) -> {
            MeshView view =
                    present == null ? new MeshView(same, resources.apply(same), thread, new MeshPace()) : present;
            view.entered();
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
                        view.storedChanged(nanoTime.getAsLong());
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
                    view.changed(service);
                }
            }
        }
        long next = Long.MAX_VALUE;
        for (MeshView view : views.values()) {
            long now = nanoTime.getAsLong();
            if (view.isUnused()) {
                next = Math.min(next, retire(view, now));
            } else {
                if (view.dueInNanos(now) <= 0) {
                    view.update(now);
                    now = nanoTime.getAsLong();
                }
                next = Math.min(next, view.dueInNanos(now));
            }
        }
        return next;
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
