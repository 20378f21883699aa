package io.cairn.server.mysql;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Publishes one configuration at one node all the time, and looks whether the node stays in service. Thread-safe. */
final class SteadyWrites implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final long PAUSE_MILLIS = 20;
    private static final long LOOK_MILLIS = 200;
    /** The answer of a node that a busy machine has stopped for a moment. */
    private static final String STANDSTILL = "did not run";

    private final String address;
    private final String dataId;
    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final Thread writer = new Thread(this::write, "steady-writes");
    private final Thread watcher = new Thread(this::watch, "steady-watch");
    private volatile boolean ended;
    private volatile int stored;
    private volatile long longestNanos;

    private SteadyWrites(String address, String dataId) {
        this.address = address;
        this.dataId = dataId;
    }

    static SteadyWrites start(String address, String dataId) {
        SteadyWrites writes = new SteadyWrites(address, dataId);
        writes.writer.start();
        writes.watcher.start();
        return writes;
    }

    String dataId() {
        return dataId;
    }

    /** How many publishes were acknowledged. */
    int stored() {
        return stored;
    }

    /** Publishes that were not acknowledged, and times at which the node was not in service. */
    List<String> refusals() {
        return refusals;
    }

    /** The longest time between two acknowledged publishes. */
    Duration longestGap() {
        return Duration.ofNanos(longestNanos);
    }

    private void write() {
        long lastNanos = System.nanoTime();
        for (int number = 0; !ended; number++) {
            try {
                HttpResponse<String> answer = publish(address, dataId, number);
                long now = System.nanoTime();
                if (answer.statusCode() == 200 && answer.body().equals("true")) {
                    longestNanos = Math.max(longestNanos, now - lastNanos);
                    lastNanos = now;
                    stored = stored + 1;
                } else if (!answer.body().contains(STANDSTILL)) {
                    refusals.add("publish " + number + ": " + answer.statusCode() + " " + answer.body());
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (IOException e) {
                if (!ended) {
                    refusals.add("publish " + number + ": " + e);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void watch() {
        while (!ended) {
            try {
                HttpResponse<String> answer = readiness(address);
                if (answer.statusCode() != 200 && !answer.body().contains(STANDSTILL)) {
                    refusals.add("not in service: " + answer.body());
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            } catch (IOException e) {
                if (!ended) {
                    refusals.add("not in service: " + e);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static HttpResponse<String> publish(String address, String dataId, int number)
            throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://" + address
                                + "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=" + dataId + "&content=" + number))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Whether a publish at the node is shown by so many of the nodes in service, such as {@code 3/3}. */
    static boolean isVisible(String address, String nodes) {
        try {
            return publish(address, "visible", 1)
                    .headers()
                    .firstValue("Cairn-Visible")
                    .orElse("")
                    .equals(nodes);
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static HttpResponse<String> readiness(String address) throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://" + address + "/nacos/v3/admin/core/state/readiness"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Whether the node is in service. */
    static boolean isReady(String address) {
        try {
            return readiness(address).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return dataId + " at " + address + ": " + stored + " stored, longest gap "
                + longestGap().toMillis() + " ms, refused " + refusals;
    }

    @Override
    public void close() {
        ended = true;
        writer.interrupt();
        watcher.interrupt();
        try {
            writer.join();
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
