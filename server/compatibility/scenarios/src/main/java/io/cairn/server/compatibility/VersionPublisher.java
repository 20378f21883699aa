package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A client that always publishes rising numbers: in turn to listened configurations, and to a new one, which later shows whether
 * its publish was lost.
 */
final class VersionPublisher implements AutoCloseable {
    private static final long PAUSE_MILLIS = 100;
    private static final int TRIES = 300;

    private final ConfigService client;
    private final List<String> listened;
    private final Map<String, Integer> acknowledged = new TreeMap<>();
    private final Thread thread = new Thread(this::publishAgainAndAgain, "publisher of versions");
    private int version;
    private boolean paused;
    private volatile boolean ended;

    /** Publishes nothing until {@link #start()}. */
    VersionPublisher(ConfigService client, List<String> listened) {
        this.client = client;
        this.listened = listened;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void publishAgainAndAgain() {
        while (!ended) {
            publishOne();
            sleep();
        }
    }

    private synchronized void publishOne() {
        if (!paused) {
            int next = version + 1;
            publish(next % 2 == 0 ? ConfigScenarios.newDataId() : listened.get(next / 2 % listened.size()));
        }
    }

    /** Whether the publish was acknowledged. */
    private boolean publish(String dataId) {
        version++;
        try {
            if (client.publishConfig(dataId, ConfigScenarios.GROUP, Integer.toString(version))) {
                acknowledged.put(dataId, version);
                return true;
            }
            return false;
        } catch (NacosException notAcknowledged) {
            return false;
        }
    }

    /** The configurations that others listen to. */
    List<String> listened() {
        return listened;
    }

    /** Returns without a running publish; the next follows {@link #resume()}. */
    synchronized void pause() {
        paused = true;
    }

    synchronized void resume() {
        paused = false;
    }

    /** Publishes each listened configuration, with retries; returns the acknowledged numbers. */
    synchronized Map<String, Integer> publishEach() {
        Map<String, Integer> published = new TreeMap<>();
        for (String dataId : listened) {
            int tries = 0;
            while (!publish(dataId)) {
                if (++tries == TRIES) {
                    throw new AssertionError("no publish of " + dataId + " was acknowledged in " + TRIES + " tries");
                }
                sleep();
            }
            published.put(dataId, version);
        }
        return published;
    }

    /** The last acknowledged number of each configuration. */
    synchronized Map<String, Integer> acknowledged() {
        return new TreeMap<>(acknowledged);
    }

    private static void sleep() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended = true;
    }
}
