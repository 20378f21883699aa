package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

final class ConfigListeners implements AutoCloseable {

    /** A poll may carry 3,000 keys; keys do not spread evenly. */
    private static final int BATCH = 2_000;

    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final String name;
    private final ConfigStore store;
    private final Map<ConfigKey, String> known;
    private final Wake<ConfigKey> wake;
    private final Duration poll;
    private final List<Thread> threads = new ArrayList<>();

    ConfigListeners(String name, ConfigStore store, Map<ConfigKey, String> known, Wake<ConfigKey> wake, Duration poll) {
        this.name = name;
        this.store = store;
        this.known = known;
        this.wake = wake;
        this.poll = poll;
    }

    void adjust() {
        int wanted = known.size() / BATCH + 1;
        if (wanted <= threads.size()) {
            return;
        }
        close();
        for (int i = 0; i < wanted; i++) {
            int bucket = i;
            Thread thread = new Thread(() -> listen(bucket, wanted), "cairn-migrate-" + name + "-" + (i + 1));
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    private void listen(int bucket, int buckets) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Map<ConfigKey, String> asked = new HashMap<>();
                known.forEach((key, md5) -> {
                    if (Math.floorMod(key.hashCode(), buckets) == bucket) {
                        asked.put(key, md5);
                    }
                });
                if (asked.isEmpty()) {
                    // The comparison has found no configuration yet.
                    Thread.sleep(PAUSE.toMillis());
                } else {
                    poll(asked);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void poll(Map<ConfigKey, String> asked) throws InterruptedException {
        try {
            Set<ConfigKey> changed = store.awaitChange(asked, poll);
            if (!changed.isEmpty()) {
                // Until the comparison has read the change, the server would answer at once again.
                wake.awaitRound(wake.add(changed), poll);
            }
        } catch (SideException e) {
            // The comparison, which uses the same server, reports the outage.
            Thread.sleep(PAUSE.toMillis());
        }
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
        threads.clear();
    }
}
