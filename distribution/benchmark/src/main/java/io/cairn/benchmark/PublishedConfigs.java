package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.ConfigMessages.Listen;
import io.cairn.benchmark.wire.GrpcConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The configs of one run: published and readable before it, removed after it. */
final class PublishedConfigs implements AutoCloseable {
    private static final int AT_ONCE = 16;
    private static final int READ_ATTEMPTS = 100;
    private static final long READ_PAUSE_MILLIS = 50;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final GrpcConnection connection;
    private final List<Listen> configs;
    private final ConfigText text;
    private final int chars;

    private PublishedConfigs(GrpcConnection connection, List<Listen> configs, ConfigText text, int chars) {
        this.connection = connection;
        this.configs = configs;
        this.text = text;
        this.chars = chars;
    }

    static PublishedConfigs publish(Session session, String prefix, int count, int chars) throws InterruptedException {
        Limits.within("number of configs", count, 1, Limits.CONFIGS);
        var text = new ConfigText(session.options().seed, chars);
        // The serials of a run begin with its start time, so that no run publishes the content of an earlier one.
        long firstSerial = session.firstSerial();
        var configs = new ArrayList<Listen>(count);
        for (int i = 0; i < count; i++) {
            configs.add(new Listen(prefix + "-" + i, ConfigText.md5(text.text(firstSerial + i, chars))));
        }
        GrpcConnection connection = session.connect();
        var published = new PublishedConfigs(connection, List.copyOf(configs), text, chars);
        Batch.run("publish", count, AT_ONCE, LIMIT, i -> {
            byte[] head = ConfigMessages.publishHead(configs.get(i).dataId());
            return connection.ask(text.publish(head, firstSerial + i, chars));
        });
        Batch.run("read the published configs", count, AT_ONCE, LIMIT, i -> published.awaitReadable(i, READ_ATTEMPTS));
        return published;
    }

    /** A server may need a moment until a read shows an acknowledged publish. */
    private CompletableFuture<String> awaitReadable(int index, int attempts) {
        Listen config = configs.get(index);
        var later = CompletableFuture.delayedExecutor(READ_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        return connection
                .ask(ConfigMessages.query(config.dataId()))
                .handle((body, failure) -> failure == null && body.contains(config.md5()))
                .thenCompose(readable -> {
                    if (readable) {
                        return CompletableFuture.completedFuture("");
                    }
                    if (attempts <= 1) {
                        return CompletableFuture.failedFuture(new IllegalStateException(
                                "'" + config.dataId() + "' does not show the published content"));
                    }
                    return CompletableFuture.supplyAsync(() -> awaitReadable(index, attempts - 1), later)
                            .thenCompose(result -> result);
                });
    }

    int count() {
        return configs.size();
    }

    String dataId(int index) {
        return configs.get(index).dataId();
    }

    /** The listen request of a client that has read every config. */
    List<Listen> listens() {
        return configs;
    }

    /** Every config's position by its data id. */
    int indexOf(String dataId) {
        int dash = dataId.lastIndexOf('-');
        try {
            int index = Integer.parseInt(dataId.substring(dash + 1));
            return index < configs.size() && configs.get(index).dataId().equals(dataId) ? index : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    List<byte[]> queries() {
        return configs.stream().map(one -> ConfigMessages.query(one.dataId())).toList();
    }

    List<byte[]> publishHeads() {
        return IntStream.range(0, count())
                .mapToObj(i -> ConfigMessages.publishHead(dataId(i)))
                .toList();
    }

    ConfigText text() {
        return text;
    }

    int chars() {
        return chars;
    }

    /** Deletes the configs; of the run, only the server's history remains. */
    @Override
    public void close() {
        try {
            Batch.run("remove", count(), AT_ONCE, LIMIT, i -> connection.ask(ConfigMessages.remove(dataId(i))));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
