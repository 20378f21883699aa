package io.cairn.server.storage.mirror;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.change.Following;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.FailureText;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.StoreDamage;
import io.cairn.server.storage.naming.JdbcNamingStore;
import io.cairn.server.storage.sqlite.SqliteDatabase;
import io.cairn.server.storage.writer.StoreMeters;
import io.cairn.server.storage.writer.StoreWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's copy of the database for reads, in an SQLite file: configurations with gray releases, the stored registry, and
 * {@linkplain MirrorTables#NAMES small tables}. Own threads write behind; the queue is a set of names, so it is bounded. It serves
 * contents outside memory, and all reads while the database is away, also after a restart.
 */
public final class Mirror implements AutoCloseable {

    private static final StoreWriter.Limits LIMITS = new StoreWriter.Limits(10_000, 64 << 20, 1_000, 8 << 20);
    private static final int BATCH_CONFIGS = 200;
    /** Configurations of one statement; large contents are read singly. */
    private static final int READ_TOGETHER = 32;

    private static final long BATCH_BYTES = 4 << 20;
    private static final long PACE_MILLIS = 50;
    private static final long TABLES_MILLIS = 30_000;
    private static final long PAUSE_MILLIS = 1_000;
    /** The pause before a failed configuration is tried again. */
    private static final long SET_ASIDE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** With more, the configurations are not at fault. */
    private static final int MOST_SET_ASIDE = 100;

    private static final Logger log = LoggerFactory.getLogger(Mirror.class);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final StoreDamage damage;
    private final JdbcNamingStore naming;
    private final String source;
    private final Set<ConfigKey> behind = ConcurrentHashMap.newKeySet();
    /** Configurations with possible gray releases in the mirror, until the next start. */
    private final Set<ConfigKey> withGray = new HashSet<>();

    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = new Thread(this::run, "cairn-mirror");

    private volatile boolean complete;
    private volatile boolean closed;
    private volatile boolean namingBehind;
    private final AtomicLong namingWrites = new AtomicLong();
    private volatile boolean tablesBehind;
    private @Nullable Primary primary;
    private List<MirrorTables.Content> tables = List.of();
    private long tablesAtNanos;
    private final Following following = new Following();
    /** Configurations that failed; for one thread at a time, the size for any. */
    private final Map<ConfigKey, SetAside> setAside = new ConcurrentHashMap<>();
    /** Configurations to copy singly after a failure of several. */
    private int singly;

    private record SetAside(String cause, long atNanos) {}

    /**
     * The mirrored database.
     *
     * @param readers refused while it is away
     */
    public record Primary(ConfigView view, ReadConnections readers, Circuit circuit) {}

    private record Id(ConfigKey key, @Nullable String gray) {

        static Id of(ConfigEntry entry) {
            GrayRule rule = entry.gray();
            return new Id(entry.key(), rule == null ? null : rule.name());
        }
    }

    private Mirror(SqliteDatabase database, String source, Clock clock) throws SQLException {
        this.source = source;
        ConnectionSource relaxed = () -> {
            Connection connection = database.openWriter();
            try (Statement statement = connection.createStatement()) {
                // After a loss of power it may lack the last moments, as it may anyway.
                statement.execute("PRAGMA synchronous=NORMAL");
            }
            return connection;
        };
        complete = MirrorFile.prepare(relaxed, source);
        damage = new StoreDamage(
                "The mirror of the database in " + database.file(),
                "It serves reads while the database is away. Stop the server, delete the folder of this file, and start the server:"
                        + " the mirror is made again",
                clock);
        readers = new ReadConnections(
                database::openReader, SqliteDatabase.DIALECT, true, null, null, LeftOutRows.ofCopy(), damage);
        writer = new StoreWriter(
                "cairn-mirror-writer",
                new Circuit("The mirror"),
                relaxed,
                SqliteDatabase.DIALECT,
                clock,
                LIMITS,
                new StoreMeters(new SimpleMeterRegistry()),
                () -> {},
                VisibilityBarrier.ofSingleServer(),
                damage);
        naming = new JdbcNamingStore(writer, readers);
        thread.setDaemon(true);
        writer.start();
    }

    /**
     * A damaged mirror, or one of another database, begins empty.
     *
     * @param source names the mirrored database
     */
    public static Mirror open(Path folder, String source, Clock clock) {
        try {
            return new Mirror(SqliteDatabase.open(folder), source, clock);
        } catch (CairnException | SQLException e) {
            log.warn("The mirror in {} cannot be used and is created again: {}", folder, e.getMessage());
            MirrorFile.delete(folder);
            try {
                return new Mirror(SqliteDatabase.open(folder), source, clock);
            } catch (SQLException again) {
                throw new IllegalStateException("no mirror can be made in " + folder, again);
            }
        }
    }

    /** Whether it can serve reads alone: it once held the whole database, and has followed since. */
    public boolean isComplete() {
        return complete;
    }

    public int behind() {
        return behind.size() + setAside.size();
    }

    public Following following() {
        return following;
    }

    public StoreDamage damage() {
        return damage;
    }

    public String source() {
        return source;
    }

    /** For {@linkplain ReadConnections#withMirror readers that accept the mirror}. */
    public ReadConnections readers() {
        return readers;
    }

    /** Exactly that version, if present. Blocks. */
    public Optional<ConfigVersion> load(ConfigEntry entry) {
        try {
            return JdbcConfigStore.load(readers, entry)
                    .filter(version -> version.entry().equals(entry));
        } catch (CairnException e) {
            log.warn("The mirror cannot be read: {}", e.text());
            return Optional.empty();
        }
    }

    /** As {@link io.cairn.server.config.ConfigStore#forEachEntry}. */
    public void forEachEntry(Consumer<ConfigEntry> consumer) {
        JdbcConfigStore.forEachEntry(readers, consumer);
    }

    /** As {@link io.cairn.server.naming.stored.NamingStore#forEach}. */
    public void forEachNaming(Consumer<NamingWrite> consumer) {
        naming.forEach(consumer);
    }

    /** As {@link #forEachNaming(Consumer)}, of these services. */
    public void forEachNaming(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {
        naming.forEach(services, consumer);
    }

    /** Follows the database; call it when the view shows the stored state. */
    public void start(Primary mirrored) {
        primary = mirrored;
        mirrored.view().onChange(this::changed);
        thread.start();
    }

    private void changed(ConfigKey key) {
        behind.add(key);
        wake.release();
    }

    /** The {@linkplain MirrorTables#NAMES small tables} have changed. Never blocks. */
    public void tablesChanged() {
        tablesBehind = true;
        wake.release();
    }

    /** Follows a change of the registry; call it in commit order. Never blocks. */
    public void naming(List<NamingWrite> writes) {
        namingWrites.incrementAndGet();
        send(writes);
    }

    private void send(List<NamingWrite> writes) {
        naming.write(writes, Caller.SERVER, () -> {}).whenComplete((done, failure) -> {
            if (failure != null) {
                namingBehind = true;
                log.debug("The mirror's registry is behind: {}", failure.getMessage());
            }
        });
    }

    /** Makes the mirrored registry equal to rows of the database. Never blocks. */
    public void syncNaming(List<NamingWrite> stored) {
        sync(stored, naming::forEach);
    }

    public void syncNaming(Set<ServiceKey> services, List<NamingWrite> stored) {
        sync(stored, each -> naming.forEach(services, each));
    }

    private void sync(List<NamingWrite> stored, Consumer<Consumer<NamingWrite>> present) {
        List<NamingWrite> all = NamingDifference.writes(stored, present);
        for (int from = 0; from < all.size(); from += 500) {
            send(List.copyOf(all.subList(from, Math.min(all.size(), from + 500))));
        }
    }

    private void run() {
        Primary mirrored = Objects.requireNonNull(primary);
        boolean isCompared = false;
        while (!closed) {
            following.attempt();
            try {
                if (!isCompared) {
                    compare(mirrored.view());
                    isCompared = true;
                }
                each(() -> follow(mirrored), () -> copyTables(mirrored), () -> copyNaming(mirrored));
                boolean isDone = behind.isEmpty();
                if (isDone && !complete && mirrored.circuit().cause() == null) {
                    write(MirrorCommand.sql("UPDATE cairn_mirror SET complete = 1"));
                    complete = true;
                    log.info("The mirror holds all of the database");
                }
                noteOutcome();
                pause(isDone ? PAUSE_MILLIS : 0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (CairnException | CompletionException e) {
                following.failed(FailureText.of(e));
                log.debug("The mirror is behind: {}", e.getMessage());
                pauseQuietly();
            } catch (RuntimeException e) {
                following.failed("a defect of the server: " + e);
                log.error("The mirror failed on a defect of the server", e);
                pauseQuietly();
            }
        }
    }

    private void noteOutcome() {
        Map.Entry<ConfigKey, SetAside> left =
                setAside.entrySet().stream().findFirst().orElse(null);
        if (left == null) {
            following.followed(false);
        } else {
            following.failed("configuration " + left.getKey() + " cannot be copied: "
                    + left.getValue().cause());
        }
    }

    private void pause(long millis) throws InterruptedException {
        if (millis > 0 && !wake.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
            return;
        }
        // A little later there is more to write at once.
        TimeUnit.MILLISECONDS.sleep(PACE_MILLIS);
        wake.drainPermits();
    }

    private void pauseQuietly() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    /** Finds changes from before the mirror followed. */
    private void compare(ConfigView view) {
        Map<Id, ConfigEntry> mirrored = new HashMap<>();
        forEachEntry(entry -> {
            mirrored.put(Id.of(entry), entry);
            if (entry.gray() != null) {
                withGray.add(entry.key());
            }
        });
        Consumer<ConfigEntry> compared = entry -> {
            if (!entry.equals(mirrored.remove(Id.of(entry)))) {
                behind.add(entry.key());
            }
        };
        view.forEach(compared);
        view.forEachGray(compared);
        mirrored.keySet().forEach(left -> behind.add(left.key()));
    }

    /** Writes some pending changes; false when there are more. A failure delays no others. */
    private boolean follow(Primary mirrored) {
        tryAgain();
        Map<ConfigKey, List<ConfigVersion>> batch = new HashMap<>();
        RuntimeException failure = null;
        long bytes = 0;
        boolean isSingle = singly > 0;
        int most = isSingle ? 1 : BATCH_CONFIGS;
        while (failure == null && batch.size() < most && bytes < BATCH_BYTES) {
            List<ConfigKey> keys = takeBehind(isSingle ? 1 : READ_TOGETHER);
            if (keys.isEmpty()) {
                break;
            }
            try {
                Map<ConfigKey, List<ConfigVersion>> read = versions(mirrored, keys);
                batch.putAll(read);
                bytes += read.values().stream()
                        .flatMap(List::stream)
                        .mapToLong(ConfigVersion::length)
                        .sum();
            } catch (RuntimeException e) {
                failure = e;
                notCopied(mirrored, keys, e);
            }
        }
        if (!batch.isEmpty()) {
            try {
                // Before the write: after an unknown outcome they count as present.
                Set<ConfigKey> hadGray = Set.copyOf(withGray);
                batch.forEach((key, versions) -> {
                    if (versions.stream().anyMatch(version -> version.entry().gray() != null)) {
                        withGray.add(key);
                    }
                });
                write(MirrorCommand.configs(batch, hadGray));
                setAside.keySet().removeAll(batch.keySet());
            } catch (RuntimeException e) {
                failure = e;
                notCopied(mirrored, List.copyOf(batch.keySet()), e);
            }
        }
        singly = isSingle ? singly - 1 : singly;
        if (failure != null && isGeneral(mirrored, failure)) {
            throw failure;
        }
        return behind.isEmpty();
    }

    /** Whether a failure is not of one configuration: a database is away, or too many fail. */
    private boolean isGeneral(Primary mirrored, RuntimeException failure) {
        if (mirrored.circuit().cause() != null
                || writer.availability().cause() != null
                || setAside.size() >= MOST_SET_ASIDE) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && (mirrored.readers().dialect().isConnectionFailure(sql)
                            || readers.dialect().isConnectionFailure(sql))) {
                return true;
            }
        }
        return false;
    }

    /** Returns all removed keys to the set. */
    private void notCopied(Primary mirrored, List<ConfigKey> keys, RuntimeException failure) {
        if (isGeneral(mirrored, failure)) {
            behind.addAll(keys);
        } else if (keys.size() > 1) {
            behind.addAll(keys);
            singly = keys.size();
        } else if (setAside.put(keys.get(0), new SetAside(FailureText.of(failure), System.nanoTime())) == null) {
            log.warn(
                    "Configuration {} cannot be copied to the mirror and is tried again: {}",
                    keys.get(0),
                    FailureText.of(failure));
        }
    }

    private void tryAgain() {
        long now = System.nanoTime();
        setAside.replaceAll((key, aside) -> {
            if (now - aside.atNanos() < SET_ASIDE_NANOS) {
                return aside;
            }
            behind.add(key);
            return new SetAside(aside.cause(), now);
        });
    }

    /** Removes configurations from the set before their read: later changes enter it again. */
    private List<ConfigKey> takeBehind(int most) {
        List<ConfigKey> taken = new ArrayList<>();
        Iterator<ConfigKey> keys = behind.iterator();
        while (keys.hasNext() && taken.size() < most) {
            taken.add(keys.next());
            keys.remove();
        }
        return taken;
    }

    /** The stored versions; contents outside memory are read by one statement. */
    private Map<ConfigKey, List<ConfigVersion>> versions(Primary mirrored, List<ConfigKey> keys) {
        ConfigView view = mirrored.view();
        Map<ConfigKey, List<ConfigEntry>> entries = new HashMap<>();
        List<ConfigEntry> missing = new ArrayList<>();
        for (ConfigKey key : keys) {
            List<ConfigEntry> ofKey = new ArrayList<>(view.grayEntries(key));
            ConfigEntry formal = view.entry(key);
            if (formal != null) {
                ofKey.add(formal);
                if (view.resident(formal) == null) {
                    missing.add(formal);
                }
            }
            entries.put(key, ofKey);
        }
        Map<ConfigEntry, ConfigVersion> read = JdbcConfigStore.loadTogether(mirrored.readers(), missing);
        Map<ConfigKey, List<ConfigVersion>> versions = new HashMap<>();
        long bytes = 0;
        for (ConfigKey key : keys) {
            if (bytes >= BATCH_BYTES) {
                // Left for the next round, to limit the memory of large contents.
                behind.add(key);
                continue;
            }
            List<ConfigVersion> ofKey = Objects.requireNonNull(entries.get(key)).stream()
                    .flatMap(entry -> version(mirrored, entry, read).stream())
                    .toList();
            bytes += ofKey.stream().mapToLong(ConfigVersion::length).sum();
            versions.put(key, ofKey);
        }
        return versions;
    }

    /** Of a gray release or a changed entry, the present stored version. */
    private static Optional<ConfigVersion> version(
            Primary mirrored, ConfigEntry entry, Map<ConfigEntry, ConfigVersion> read) {
        return Optional.ofNullable(read.get(entry))
                .or(() -> Optional.ofNullable(mirrored.view().resident(entry)))
                .or(() -> JdbcConfigStore.load(mirrored.readers(), entry));
    }

    /** Runs all of them, and fails at the end with the first failure. */
    private static void each(Runnable... parts) {
        RuntimeException first = null;
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void copyTables(Primary mirrored) {
        boolean isDue = tablesBehind
                || tablesAtNanos == 0
                || System.nanoTime() - tablesAtNanos > TimeUnit.MILLISECONDS.toNanos(TABLES_MILLIS);
        if (!isDue || mirrored.circuit().cause() != null) {
            return;
        }
        // Before the read: a later change is read again.
        tablesBehind = false;
        ReadConnections database = mirrored.readers();
        try {
            List<MirrorTables.Content> read = database.snapshot(
                    "reading tables for the mirror", connection -> MirrorTables.read(connection, database.leftOut()));
            if (!read.equals(tables)) {
                write(MirrorCommand.tables(read));
                tables = List.copyOf(read);
            }
        } catch (RuntimeException e) {
            tablesBehind = true;
            throw e;
        }
        tablesAtNanos = System.nanoTime();
    }

    private void copyNaming(Primary mirrored) {
        if (!namingBehind || mirrored.circuit().cause() != null) {
            return;
        }
        namingBehind = false;
        long before = namingWrites.get();
        try {
            List<NamingWrite> stored = new ArrayList<>();
            new JdbcNamingStore(writer, mirrored.readers()).forEach(stored::add);
            syncNaming(stored);
        } catch (RuntimeException e) {
            namingBehind = true;
            throw e;
        }
        if (namingWrites.get() != before) {
            // The read rows may have overwritten a concurrent write.
            namingBehind = true;
        }
    }

    private void write(MirrorCommand command) {
        writer.submit(command).join();
    }

    /** Writes pending changes that are in memory, then ends. */
    @Override
    public void close() {
        closed = true;
        wake.release();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        Primary mirrored = primary;
        try {
            while (mirrored != null && complete && !follow(mirrored)) {
                log.debug("{} configurations are behind in the mirror", behind.size());
            }
        } catch (CairnException | CompletionException e) {
            log.info("The mirror misses {} changes; they follow after the next start", behind.size());
        }
        writer.close();
        readers.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
