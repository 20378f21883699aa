package io.cairn.server.storage;

import static io.cairn.testing.Patience.PATIENCE;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.storage.config.CapacityCheck;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.StoreMeters;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.storage.writer.WriteTransaction;
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
public final class TestStore implements AutoCloseable {

    /** Those of production, but for a busy machine: a database that takes long for many large rows, a JVM that stands still. */
    public static final StoreWriter.Limits LIMITS =
            new StoreWriter.Limits(10_000, 128 << 20, 256, 16 << 20, Duration.ofSeconds(60), PATIENCE);

    public static final int MAX_GRAYS = 10;

    public final SettableClock clock = new SettableClock();
    public final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    public final List<ConfigChanged> heard = new CopyOnWriteArrayList<>();
    /**
     * The digests that a listener would read at each announcement: the one for all clients, and those of gray releases.
     */
    public final Map<ConfigKey, List<String>> fetched = new ConcurrentHashMap<>();

    public final ConfigView view;
    public final ReadConnections readers;
    public final StoreWriter writer;
    public final JdbcConfigStore store;
    private final TestDatabase database;

    private TestStore(
            TestDatabase database, StoreWriter.Limits limits, CapacityCheck capacity, VisibilityBarrier barrier) {
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
                barrier,
                readers.damage());
        store = new JdbcConfigStore(writer, readers, capacity, MAX_GRAYS, view);
    }

    public static TestStore start(TestDatabase database) {
        return start(database, LIMITS);
    }

    public static TestStore start(TestDatabase database, StoreWriter.Limits limits) {
        return start(database, limits, CapacityCheck.OFF);
    }

    public static TestStore start(TestDatabase database, StoreWriter.Limits limits, CapacityCheck capacity) {
        return start(new TestStore(database, limits, capacity, VisibilityBarrier.ofSingleServer()));
    }

    /** A store that answers its callers when the barrier allows it. */
    public static TestStore start(TestDatabase database, VisibilityBarrier barrier) {
        return start(new TestStore(database, LIMITS, CapacityCheck.OFF, barrier));
    }

    /** The store of a node with that address. */
    public static TestStore startNode(TestDatabase database, String address) {
        return startNode(database, address, LIMITS);
    }

    public static TestStore startNode(TestDatabase database, String address, StoreWriter.Limits limits) {
        TestStore store = new TestStore(database, limits, CapacityCheck.OFF, VisibilityBarrier.ofSingleServer());
        store.writer.writesAs(address);
        return start(store);
    }

    private static TestStore start(TestStore store) {
        store.view.reload(store.store::forEachEntry);
        store.writer.start();
        return store;
    }

    /** A store started while the database is unavailable; nothing is in memory. */
    public static TestStore startAway(TestDatabase database, CairnException cause) {
        TestStore store = new TestStore(database, LIMITS, CapacityCheck.OFF, VisibilityBarrier.ofSingleServer());
        store.writer.startAway(cause);
        return store;
    }

    /** The digests that the view has of a configuration. */
    public List<String> shown(ConfigKey key) {
        List<String> digests = new ArrayList<>();
        ConfigEntry formal = view.entry(key);
        digests.add(formal == null ? "none" : formal.digest().toString());
        view.grayEntries(key).forEach(gray -> digests.add(gray.digest().toString()));
        return digests;
    }

    /** The present time, as stored in the tables of Nacos on this database. */
    public long storedTime() {
        return database.dialect().storedTime(clock.millis());
    }

    /** The stored change; fails when the publish was refused. */
    public ConfigChanged publish(PublishConfig command) {
        return published(get(store.publish(command)));
    }

    public ConfigChanged publish(String dataId, String content) {
        return publish(SampleCommands.publish(dataId, content));
    }

    public PublishResult tryToPublish(PublishConfig command) {
        return get(store.publish(command));
    }

    public Optional<ConfigChanged> remove(RemoveConfig command) {
        return get(store.remove(command));
    }

    public static ConfigChanged published(PublishResult result) {
        return result.fold(PublishResult.Published::change, conflict -> {
            throw new AssertionError("refused: " + conflict);
        });
    }

    /** The stored content of that name in the default namespace and group, or null. */
    public String content(String dataId) {
        return content(SampleCommands.key(dataId));
    }

    public String content(ConfigKey key) {
        return load(key)
                .map(version -> new String(version.utf8(), StandardCharsets.UTF_8))
                .orElse(null);
    }

    public Optional<ConfigVersion> load(ConfigKey key) {
        return store.load(new ConfigEntry(key, ContentDigest.of(""), ConfigType.TEXT, 0, "", null));
    }

    public List<ConfigEntry> entries() {
        List<ConfigEntry> entries = new ArrayList<>();
        store.forEachEntry(entries::add);
        return entries;
    }

    /** The announced changes, once all acknowledged writes were announced. */
    public List<ConfigChanged> announced() {
        // Changes are announced after their acknowledgement, but before the writer takes the next command.
        get(writer.submit(new Nothing()));
        return heard;
    }

    /** The rows of a query, all columns as text. */
    public List<List<String>> query(String sql, Object... parameters) {
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
    public List<String> column(String sql, Object... parameters) {
        return query(sql, parameters).stream().map(row -> row.get(0)).toList();
    }

    /** Changes the database as another program does. */
    public void byHand(String sql, Object... parameters) {
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

    public static <T> T get(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        try {
            return future.get(PATIENCE.toSeconds(), SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + PATIENCE, e);
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
