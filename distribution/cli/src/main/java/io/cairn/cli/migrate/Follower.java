package io.cairn.cli.migrate;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

public final class Follower<K> {

    interface Comparison<K> {

        void all(boolean deep);

        void some(Set<K> changed);
    }

    private static final int FEW = 10;

    private final Comparison<K> comparison;
    private final Wake<K> wake;
    private final Follow follow;
    private final Outage outage;

    Follower(String what, Comparison<K> comparison, Wake<K> wake, Follow follow, Consumer<String> notices) {
        this.comparison = comparison;
        this.wake = wake;
        this.follow = follow;
        outage = new Outage(what, notices);
    }

    public void run() throws InterruptedException {
        long nextList = System.nanoTime();
        long nextDeep = nextList;
        while (true) {
            try {
                Set<K> changed = wake.take();
                long now = System.nanoTime();
                if (now - nextList >= 0 || changed.size() > FEW || outage.isOn()) {
                    boolean deep = now - nextDeep >= 0;
                    comparison.all(deep);
                    nextDeep = deep ? now + follow.deep().toNanos() : nextDeep;
                    nextList = System.nanoTime() + follow.list().toNanos();
                } else {
                    comparison.some(changed);
                }
                wake.compared();
                outage.over();
                wake.await(Duration.ofNanos(Math.max(0, nextList - System.nanoTime())));
            } catch (SideException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                // The list after the outage finds the changes that were taken.
                Thread.sleep(outage.failed(e).toMillis());
            }
        }
    }
}
