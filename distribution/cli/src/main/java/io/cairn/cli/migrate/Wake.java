package io.cairn.cli.migrate;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Changed keys, each once. Thread-safe. */
final class Wake<K> {

    private Set<K> keys = new LinkedHashSet<>();
    private long taken;
    private long compared;

    /** @return the round that compares these keys */
    synchronized long add(Iterable<? extends K> changed) {
        changed.forEach(keys::add);
        notifyAll();
        return taken + 1;
    }

    synchronized Set<K> take() {
        Set<K> all = keys;
        keys = new LinkedHashSet<>();
        taken++;
        return all;
    }

    synchronized void compared() {
        compared = taken;
        notifyAll();
    }

    synchronized void awaitRound(long round, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (compared < round) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }

    synchronized void await(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (keys.isEmpty()) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }
}
