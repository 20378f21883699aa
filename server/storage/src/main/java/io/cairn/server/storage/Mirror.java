package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.change.CommitFence;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.naming.NamingWrite;
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
 * This node's copy of what reads need, in an SQLite file beside its data: configurations with their gray releases, the
 * stored part of the registry, and {@linkplain MirrorTables#NAMES small tables}. Written behind by threads of its own;
 * what waits for it is a set of names, so it is bounded by what there is. It answers reads of contents that are not in
 * memory, and while the database is away everything that is read, also after a restart. Thread-safe.
 */
public final class Mirror implements AutoCloseable {

    private static final StoreWriter.Limits LIMITS = new StoreWriter.Limits(10_000, 64 << 20, 1_000, 8 << 20);
    private static final int BATCH_CONFIGS = 200;
    /** Configurations whose contents are read by one statement; large contents are read one by one. */
    private static final int READ_TOGETHER = 32;

    private static final long BATCH_BYTES = 4 << 20;
    private static final long PACE_MILLIS = 50;
    private static final long TABLES_MILLIS = 30_000;
    private static final long REST_MILLIS = 1_000;
    private static final Logger log = LoggerFactory.getLogger(Mirror.class);

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final JdbcNamingStore naming;
    private final String source;
    private final Set<ConfigKey> behind = ConcurrentHashMap.newKeySet();
    /** Configurations of which the mirror may hold gray releases; each stays here until the next start. */
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
    private int together = READ_TOGETHER;

    /**
     * The database that is mirrored.
     *
     * @param readers read the database, and are refused while it is away
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
        readers = new ReadConnections(database::openReader, SqliteDatabase.DIALECT);
        writer = new StoreWriter(
                "cairn-mirror-writer",
                new Circuit("The mirror"),
                relaxed,
                SqliteDatabase.DIALECT,
                clock,
                LIMITS,
                new StoreMeters(new SimpleMeterRegistry()),
                () -> {},
                CommitFence.ofSingleServer());
        naming = new JdbcNamingStore(writer, readers);
        thread.setDaemon(true);
        writer.start();
    }

    /**
     * Opens the mirror in that folder. One that is damaged, or of another database, is begun anew.
     *
     * @param source names the database that is mirrored
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

    /** Whether reads can be served from it alone: it has held all of the database once, and follows it since. */
    public boolean isComplete() {
        return complete;
    }

    /** The number of configurations that are known to differ from the database. */
    public int behind() {
        return behind.size();
    }

    /** The database that is mirrored. */
    public String source() {
        return source;
    }

    /** For {@linkplain ReadConnections#withMirror those who are content with the mirror}. */
    public ReadConnections readers() {
        return readers;
    }

    /** That version, where the mirror holds exactly it. Blocks. */
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

    /** As {@link io.cairn.server.naming.NamingStore#forEach}. */
    public void forEachNaming(Consumer<NamingWrite> consumer) {
        naming.forEach(consumer);
    }

    /** As {@link #forEachNaming(Consumer)}, of these services alone. */
    public void forEachNaming(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {
        naming.forEach(services, consumer);
    }

    /** Starts to follow the database; call it when the view shows what is stored. */
    public void start(Primary mirrored) {
        primary = mirrored;
        mirrored.view().onChange(this::changed);
        thread.start();
    }

    private void changed(ConfigKey key) {
        behind.add(key);
        wake.release();
    }

    /** The {@linkplain MirrorTables#NAMES small tables} have changed, and are to follow soon. Never blocks. */
    public void tablesChanged() {
        tablesBehind = true;
        wake.release();
    }

    /** Has a change of the registry follow; call it in commit order. Never blocks. */
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

    /** Makes the mirrored registry equal to what was read from the database. Never blocks. */
    public void syncNaming(List<NamingWrite> stored) {
        sync(stored, naming::forEach);
    }

    /** As {@link #syncNaming(List)}, of these services alone. */
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
            try {
                if (!isCompared) {
                    compare(mirrored.view());
                    isCompared = true;
                }
                boolean isDone = follow(mirrored);
                copyTables(mirrored);
                if (isDone && !complete && mirrored.circuit().cause() == null) {
                    write(MirrorCommand.sql("UPDATE cairn_mirror SET complete = 1"));
                    complete = true;
                    log.info("The mirror holds all of the database");
                }
                rest(isDone ? REST_MILLIS : 0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (CairnException | CompletionException e) {
                log.debug("The mirror is behind: {}", e.getMessage());
                restQuietly();
            } catch (RuntimeException e) {
                log.error("The mirror failed on a defect of the server", e);
                restQuietly();
            }
        }
    }

    private void rest(long millis) throws InterruptedException {
        if (millis > 0 && !wake.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
            return;
        }
        // A little later there is more to write at once.
        TimeUnit.MILLISECONDS.sleep(PACE_MILLIS);
        wake.drainPermits();
    }

    private void restQuietly() {
        try {
            TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    /** Finds the changes made while the mirror did not follow. */
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

    /** Writes what is behind; false when something is left that cannot be had at the moment. */
    private boolean follow(Primary mirrored) {
        Map<ConfigKey, List<ConfigVersion>> batch = new HashMap<>();
        long bytes = 0;
        while (batch.size() < BATCH_CONFIGS && bytes < BATCH_BYTES) {
            List<ConfigKey> keys = takeBehind(together);
            if (keys.isEmpty()) {
                break;
            }
            try {
                Map<ConfigKey, List<ConfigVersion>> read = versions(mirrored, keys);
                together = READ_TOGETHER;
                batch.putAll(read);
                bytes += read.values().stream()
                        .flatMap(List::stream)
                        .mapToLong(ConfigVersion::length)
                        .sum();
            } catch (CairnException e) {
                behind.addAll(keys);
                // One that cannot be read does not keep back the others.
                together = 1;
                if (batch.isEmpty()) {
                    throw e;
                }
                break;
            } catch (RuntimeException e) {
                // A defect: none of those taken out of the set may be forgotten over it.
                behind.addAll(keys);
                behind.addAll(batch.keySet());
                throw e;
            }
        }
        if (!batch.isEmpty()) {
            try {
                // Before they are written: should the outcome be unknown, they are taken for there.
                Set<ConfigKey> hadGray = Set.copyOf(withGray);
                batch.forEach((key, versions) -> {
                    if (versions.stream().anyMatch(version -> version.entry().gray() != null)) {
                        withGray.add(key);
                    }
                });
                write(MirrorCommand.configs(batch, hadGray));
            } catch (RuntimeException e) {
                behind.addAll(batch.keySet());
                throw e;
            }
        }
        return behind.isEmpty();
    }

    /** Takes some configurations out of the set, before they are read: what changes from here on comes into it again. */
    private List<ConfigKey> takeBehind(int most) {
        List<ConfigKey> taken = new ArrayList<>();
        Iterator<ConfigKey> keys = behind.iterator();
        while (keys.hasNext() && taken.size() < most) {
            taken.add(keys.next());
            keys.remove();
        }
        return taken;
    }

    /** The stored versions of these configurations; contents that are not in memory are read by one statement. */
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
                // Left for the next round, so that some large contents do not take much memory at once.
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

    /** Of a gray release, or of an entry that has changed meanwhile, the stored version as it is now. */
    private static Optional<ConfigVersion> version(
            Primary mirrored, ConfigEntry entry, Map<ConfigEntry, ConfigVersion> read) {
        return Optional.ofNullable(read.get(entry))
                .or(() -> Optional.ofNullable(mirrored.view().resident(entry)))
                .or(() -> JdbcConfigStore.load(mirrored.readers(), entry));
    }

    private void copyTables(Primary mirrored) {
        if (mirrored.circuit().cause() != null) {
            return;
        }
        boolean isDue = tablesBehind
                || tablesAtNanos == 0
                || System.nanoTime() - tablesAtNanos > TimeUnit.MILLISECONDS.toNanos(TABLES_MILLIS);
        if (isDue) {
            // Before they are read: what changes meanwhile is read again.
            tablesBehind = false;
            try {
                List<MirrorTables.Content> read =
                        mirrored.readers().snapshot("reading tables for the mirror", MirrorTables::read);
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
        if (namingBehind) {
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
                // The rows that were read may have overwritten a write that was committed meanwhile.
                namingBehind = true;
            }
        }
    }

    private void write(MirrorCommand command) {
        writer.submit(command).join();
    }

    /** Writes what is behind as far as it is in memory, then ends. */
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
