package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.exception.NacosException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** One client that listens to configurations whose contents are rising numbers, and is watched for when it is connected. Thread-safe. */
final class VersionListener implements AutoCloseable {
    private static final long PAUSE_MILLIS = 5;

    private final ConfigService client;
    private final Map<String, Integer> newest = new TreeMap<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile long connectedNanos = System.nanoTime();
    private volatile boolean connected = true;

    VersionListener(ConfigService client, Iterable<String> dataIds) throws NacosException {
        this.client = client;
        for (String dataId : dataIds) {
            client.addListener(dataId, ConfigScenarios.GROUP, new AbstractListener() {
                @Override
                public void receiveConfigInfo(String content) {
                    received(dataId, Integer.parseInt(content));
                }
            });
        }
        var watcher = new Thread(this::watchConnection, "status of a listening client");
        watcher.setDaemon(true);
        watcher.start();
    }

    private synchronized void received(String dataId, int version) {
        newest.put(dataId, version);
    }

    private void watchConnection() {
        while (!ended.get()) {
            boolean now = client.getServerStatus().equals("UP");
            if (now && !connected) {
                connectedNanos = System.nanoTime();
            }
            connected = now;
            try {
                // The client tells its state only when it is asked.
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** The number of each configuration that it was notified of last. */
    synchronized Map<String, Integer> newest() {
        return new TreeMap<>(newest);
    }

    /** The time since it was connected again, or since the moment if that was later; none while it is not connected. */
    Duration connectedSince(long momentNanos) {
        return !connected ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - Math.max(momentNanos, connectedNanos));
    }

    @Override
    public void close() {
        ended.set(true);
    }
}
