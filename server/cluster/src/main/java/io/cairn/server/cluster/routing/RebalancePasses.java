package io.cairn.server.cluster.routing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.naming.group.ClientAdoption;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After a change of the owners, adopts the clients that this node owns, and transfers others. Changes of other nodes arrive later,
 * so the passes repeat for some seconds, and as long as clients are left. One pass at a time runs on the executor.
 */
final class RebalancePasses {

    /** Changes that follow each other within this time are followed by one pass. */
    static final Duration TOGETHER = Duration.ofMillis(100);

    static final Duration BETWEEN = Duration.ofSeconds(1);

    /** The passes after a change: for as long as a moved publication is held. */
    static final int AFTER_A_CHANGE = 15;

    private static final Logger log = LoggerFactory.getLogger(RebalancePasses.class);

    private final ClientAdoption adoption;
    private final OwnerTable owners;
    private final Timer timer;
    private final Executor executor;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private enum Stage {
        IDLE,
        /** The next pass begins within {@link #TOGETHER}. */
        SOON,
        /** The next pass begins within {@link #BETWEEN}. */
        LATER,
        WALKING
    }

    @GuardedBy("this")
    private Stage stage = Stage.IDLE;

    @GuardedBy("this")
    private @Nullable Timeout next;

    @GuardedBy("this")
    private int left;

    @GuardedBy("this")
    private boolean changed;

    @GuardedBy("this")
    private boolean ownersChanged;

    @GuardedBy("this")
    private boolean closed;

    RebalancePasses(ClientAdoption adoption, OwnerTable owners, Timer timer, Executor executor) {
        this.adoption = adoption;
        this.owners = owners;
        this.timer = timer;
        this.executor = executor;
    }

    /** Adds a listener for changes of the owners, called on the executor before the next pass. */
    void onOwnersChanged(Runnable listener) {
        listeners.add(listener);
    }

    synchronized void ownersChanged() {
        ownersChanged = true;
        begin();
    }

    /** Starts passes: this node may publish clients that it does not own, or lack some that it owns. */
    synchronized void begin() {
        left = AFTER_A_CHANGE;
        changed = true;
        if (stage == Stage.IDLE || stage == Stage.LATER) {
            schedule(Stage.SOON, TOGETHER);
        }
    }

    @GuardedBy("this")
    private void schedule(Stage then, Duration delay) {
        if (closed) {
            return;
        }
        if (next != null) {
            next.cancel();
        }
        stage = then;
        next = timer.newTimeout(this::due, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void due(Timeout fired) {
        synchronized (this) {
            if (closed || fired.isCancelled() || stage == Stage.WALKING) {
                return;
            }
            stage = Stage.WALKING;
            changed = false;
            left--;
            // With the lock held, so that no task starts after the end.
            executor.execute(this::run);
        }
    }

    private void run() {
        boolean isAnyLeft = true;
        try {
            notifyListeners();
            adoption.adopt(owners::isOwn);
            adoption.handOver(owners::isOwn);
            isAnyLeft = !adoption.ownClients().stream().allMatch(owners::isOwn);
        } catch (RuntimeException e) {
            log.error("The clients of the registry were not all adopted and handed over; the next pass is in 1 s", e);
        }
        synchronized (this) {
            stage = Stage.IDLE;
            if (changed) {
                schedule(Stage.SOON, TOGETHER);
            } else if (left > 0 || isAnyLeft) {
                schedule(Stage.LATER, BETWEEN);
            }
        }
    }

    private void notifyListeners() {
        synchronized (this) {
            if (!ownersChanged) {
                return;
            }
            ownersChanged = false;
        }
        listeners.forEach(Runnable::run);
    }

    synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
    }
}
