package io.cairn.server.storage;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.CommitFence;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** A store with its writer, its view and its change listeners, assembled as in the server. */
final class TestStore implements AutoCloseable {

    /** Those of production, but for a database on a busy machine that takes long for many large rows. */
    static final StoreWriter.Limits LIMITS =
            new StoreWriter.Limits(10_000, 128 << 20, 256, 16 << 20, Duration.ofSeconds(60));

    static final int MAX_GRAYS = 10;
    private static final long PATIENCE_SECONDS = 60;

    final SettableClock clock = new SettableClock();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final List<ConfigChanged> heard = new CopyOnWriteArrayList<>();
    /**
     * The digests that a listener would read at each announcement: the one for all clients, and those of gray releases.
     */
    final Map<ConfigKey, List<String>> fetched = new ConcurrentHashMap<>();

    final ConfigView view;
    final ReadConnections readers;
    final StoreWriter writer;
    final JdbcConfigStore store;
    private final TestDatabase database;

    private TestStore(TestDatabase database, StoreWriter.Limits limits, CapacityCheck capacity, CommitFence fence) {
        this.database = database;
        ChangeFeed feed = new ChangeFeed();
        feed.follow(heard::add);
        view = new ConfigView(feed, 64 << 20);
        feed.follow(change -> fetched.put(change.key(), shown(change.key())));
        readers = new ReadConnections(database.reader(), database.dialect());
        writer = new StoreWriter(
                "cairn-store-writer",
                new Circuit("The database"),
                database.writer(),
                database.dialect(),
                clock,
                limits,
                new StoreMeters(meters),
                () -> view.reload(consumer -> JdbcConfigStore.forEachEntry(readers, consumer)),
                fence);
        store = new JdbcConfigStore(writer, readers, capacity, MAX_GRAYS, view);
    }

    static TestStore start(TestDatabase database) {
        return start(database, LIMITS);
    }

    static TestStore start(TestDatabase database, StoreWriter.Limits limits) {
        return start(database, limits, CapacityCheck.OFF);
    }

    static TestStore start(TestDatabase database, StoreWriter.Limits limits, CapacityCheck capacity) {
        return start(new TestStore(database, limits, capacity, CommitFence.ofSingleServer()));
    }

    /** A store that answers its callers when the fence allows it. */
    static TestStore start(TestDatabase database, CommitFence fence) {
        return start(new TestStore(database, LIMITS, CapacityCheck.OFF, fence));
    }

    private static TestStore start(TestStore store) {
        store.view.reload(store.store::forEachEntry);
        store.writer.start();
        return store;
    }

    /** A store started while the database is unavailable; nothing is in memory. */
    static TestStore startAway(TestDatabase database, CairnException cause) {
        TestStore store = new TestStore(database, LIMITS, CapacityCheck.OFF, CommitFence.ofSingleServer());
        store.writer.startAway(cause);
        return store;
    }

    /** The digests that the view has of a configuration. */
    List<String> shown(ConfigKey key) {
        List<String> digests = new ArrayList<>();
        ConfigEntry formal = view.entry(key);
        digests.add(formal == null ? "none" : formal.digest().toString());
        view.grayEntries(key).forEach(gray -> digests.add(gray.digest().toString()));
        return digests;
    }

    /** The present time, as stored in the tables of Nacos on this database. */
    long storedTime() {
        return database.dialect().storedTime(clock.millis());
    }

    /** The stored change; fails when the publish was refused. */
    ConfigChanged publish(PublishConfig command) {
        return published(get(store.publish(command)));
    }

    ConfigChanged publish(String dataId, String content) {
        return publish(SampleCommands.publish(dataId, content));
    }

    PublishResult tryToPublish(PublishConfig command) {
        return get(store.publish(command));
    }

    Optional<ConfigChanged> remove(RemoveConfig command) {
        return get(store.remove(command));
    }

    static ConfigChanged published(PublishResult result) {
        return result.fold(PublishResult.Published::change, conflict -> {
            throw new AssertionError("refused: " + conflict);
        });
    }

    /** The stored content of that name in the default namespace and group, or null. */
    String content(String dataId) {
        return content(SampleCommands.key(dataId));
    }

    String content(ConfigKey key) {
        return load(key)
                .map(version -> new String(version.utf8(), StandardCharsets.UTF_8))
                .orElse(null);
    }

    Optional<ConfigVersion> load(ConfigKey key) {
        return store.load(new ConfigEntry(key, ContentDigest.of(""), ConfigType.TEXT, 0, "", null));
    }

    List<ConfigEntry> entries() {
        List<ConfigEntry> entries = new ArrayList<>();
        store.forEachEntry(entries::add);
        return entries;
    }

    /** The announced changes, once all acknowledged writes were announced. */
    List<ConfigChanged> announced() {
        // Changes are announced after their acknowledgement, but before the writer takes the next command.
        get(writer.submit(new Nothing()));
        return heard;
    }

    /** The rows of a query, all columns as text. */
    List<List<String>> query(String sql, Object... parameters) {
        return readers.with("looking after a test", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(statement, parameters);
                try (ResultSet rows = statement.executeQuery()) {
                    List<List<String>> all = new ArrayList<>();
                    while (rows.next()) {
                        List<String> row = new ArrayList<>();
                        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                            row.add(rows.getString(i));
                        }
                        all.add(row);
                    }
                    return all;
                }
            }
        });
    }

    /** The first column of all rows. */
    List<String> column(String sql, Object... parameters) {
        return query(sql, parameters).stream().map(row -> row.get(0)).toList();
    }

    /** Changes the database as another program does. */
    void byHand(String sql, Object... parameters) {
        try (Connection connection = database.writer().open();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    static <T> T get(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        try {
            return future.get(PATIENCE_SECONDS, SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        }
    }

    @Override
    public void close() {
        writer.close();
        readers.close();
    }

    private static final class Nothing implements StoreCommand<Boolean> {

        @Override
        public Boolean execute(WriteTransaction transaction) {
            return true;
        }

        @Override
        public void committed(Boolean result) {}

        @Override
        public void announce(Boolean result) {}

        @Override
        public int weightBytes() {
            return 0;
        }
    }
}
