package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.storage.RecheckCommand.Suspicion;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows what others change in the database: other nodes by the change log, Nacos or a person by comparing every
 * row's md5 and time with what is shown. It reads the log when {@link AppliedRevision} is woken by a notice, and with each
 * heartbeat. What may differ is read again by the writer, which decides. Also notices
 * that the database is away when this node does not write. Has a thread of its own, named {@code cairn-store-follow}.
 */
public final class ExternalChangePoller implements AutoCloseable {

    private static final int PAGE = 1_000;
    /** Keys of one statement. */
    private static final int RECHECKED_AT_ONCE = 64;

    private static final long NOT_BEGUN = -1;
    private static final Suspicion ANYTHING = new Suspicion(true, true);
    private static final long UNREADABLE_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final Logger log = LoggerFactory.getLogger(ExternalChangePoller.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final StoreWriter writer;
    private final AppliedRevision applied;
    private final ConfigView view;
    private final Settings settings;
    private final FollowedParts parts;
    /** Has a permit when the log is to be read before the next heartbeat. */
    private final Semaphore signal = new Semaphore(0);

    private final Thread thread = new Thread(this::run, "cairn-store-follow");
    private volatile boolean closed;

    private @Nullable Connection connection;
    private final DueChanges due = new DueChanges();
    /** The revision up to which the log was read, or {@link #NOT_BEGUN}. */
    private long seenRevision = NOT_BEGUN;

    private int seenEpoch;
    /** Whether the database may have become another one since everything was compared. */
    private boolean isCertain;

    /** Whether the database has lost commits since everything was compared. */
    private boolean hasLost;
    /** Whether the log held rows that are not known to be of this node since the writer had its turn. */
    private boolean hasForeignRows;
    /** Whether the writer has had its turn since the log was read. */
    private boolean isInTurn;

    private long unreadableToldNanos;
    private long comparedNanos;

    /**
     * @param heartbeat how often the change log is read at least
     * @param compare how often all rows are compared
     */
    public record Settings(Duration heartbeat, Duration compare) {}

    /**
     * @param source opens connections with time-outs
     * @param parts read again what another node has changed
     */
    public ExternalChangePoller(
            ConnectionSource source,
            Dialect dialect,
            StoreWriter writer,
            ConfigView view,
            Settings settings,
            FollowedParts parts) {
        this.source = source;
        this.dialect = dialect;
        this.writer = writer;
        this.applied = writer.applied();
        this.view = view;
        this.settings = settings;
        this.parts = parts;
        thread.setDaemon(true);
    }

    public void start() {
        comparedNanos = System.nanoTime();
        applied.onWake(signal::release);
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                if (signal.tryAcquire(settings.heartbeat().toMillis(), TimeUnit.MILLISECONDS)) {
                    // Before the log is read: a notice that comes from here on has it read once more.
                    signal.drainPermits();
                }
                if (!closed) {
                    look();
                }
            }
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread.
            Thread.currentThread().interrupt();
        } finally {
            disconnect();
        }
    }

    private void look() {
        if (writer.circuit().cause() != null) {
            // The writer finds out when it is back. What was missed meanwhile is found by comparing, at once.
            disconnect();
            comparedNanos = System.nanoTime() - settings.compare().toNanos();
            return;
        }
        int epoch = applied.epoch();
        if (epoch != seenEpoch) {
            // It may lead to another of several sources now, which may lack what the one before had, or have more.
            disconnect();
            begin();
            seenEpoch = epoch;
        }
        try {
            Connection open = connected();
            readLog(open, epoch);
            if (due.compare
                    || System.nanoTime() - comparedNanos >= settings.compare().toNanos()) {
                compare(open);
                comparedNanos = System.nanoTime();
                due.compare = false;
            }
            follow();
            if (due.isEmpty() && !hasForeignRows) {
                if (isCertain) {
                    applied.followed(seenRevision, epoch);
                } else {
                    applied.compared(seenRevision, entry(open, seenRevision), hasLost, epoch);
                    isCertain = true;
                    hasLost = false;
                }
            }
        } catch (SQLException e) {
            disconnect();
            if (dialect.isConnectionFailure(e) && !closed) {
                writer.circuit()
                        .open(new CairnException(
                                ErrorCode.UNAVAILABLE, "The database does not answer: " + dialect.explain(e), e));
            } else {
                log.warn("Reading what others have changed failed: {}", dialect.explain(e));
            }
        } catch (CompletionException e) {
            log.debug("Reading what others have changed failed", e);
        } catch (RuntimeException e) {
            disconnect();
            log.error("Reading what others have changed failed on a defect of the server", e);
        }
    }

    /** The database may be in another state than the one that was followed. */
    private void begin() {
        isCertain = false;
        seenRevision = NOT_BEGUN;
    }

    private Connection connected() throws SQLException {
        Connection present = connection;
        if (present == null) {
            present = source.open();
            connection = present;
        }
        return present;
    }

    private void disconnect() {
        Connection present = connection;
        connection = null;
        if (present != null) {
            try {
                present.close();
            } catch (SQLException e) {
                log.debug("Closing a connection failed", e);
            }
        }
    }

    /** Notes what other nodes have changed. */
    private void readLog(Connection open, int epoch) throws SQLException {
        // Before the revision: what this node commits in between is read once more, and found to be shown already.
        // Up to the applied revision, each change was seen or is this node's.
        long from = isCertain ? Math.max(seenRevision, applied.appliedRevision()) : seenRevision;
        long revision = JdbcConfigStore.revision(open);
        if (revision < from) {
            begin();
        }
        if (seenRevision == NOT_BEGUN) {
            // The changes between loading and now are unknown, or the database is another one.
            due.everything();
            if (!hasLost && hasLost(open, revision)) {
                hasLost = true;
                log.error(
                        "The database has lost its last commits: it went back from revision {} to an earlier state and is"
                                + " at revision {}. Everything is read again; what was acknowledged in between may be"
                                + " missing and must be published again",
                        applied.appliedRevision(),
                        revision);
            }
        } else if (revision > from && readLog(open, from, revision, epoch) < revision - from) {
            // The log has been trimmed meanwhile.
            due.everything();
        }
        seenRevision = revision;
    }

    /** Whether the database is in a state without commits that this node knew. */
    private boolean hasLost(Connection open, long revision) throws SQLException {
        AppliedRevision.LogEntry known = applied.lastLogged();
        if (Math.max(known == null ? 0 : known.revision(), applied.appliedRevision()) > revision) {
            return true;
        }
        if (known == null) {
            return false;
        }
        AppliedRevision.LogEntry present = entry(open, known.revision());
        // Without the row, the log was trimmed.
        return present != null && !present.equals(known);
    }

    private static AppliedRevision.@Nullable LogEntry entry(Connection open, long revision) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement("SELECT batch FROM cairn_change WHERE revision = ?")) {
            statement.setLong(1, revision);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? new AppliedRevision.LogEntry(revision, rows.getLong(1)) : null;
            }
        }
    }

    /** Returns how many changes were read. */
    private long readLog(Connection open, long from, long revision, int epoch) throws SQLException {
        long read = 0;
        AppliedRevision.LogEntry last = null;
        try (PreparedStatement statement =
                open.prepareStatement("SELECT revision, kind, op_type, data_id, group_id, tenant_id, md5, batch"
                        + " FROM cairn_change WHERE revision > ? AND revision <= ? ORDER BY revision")) {
            statement.setLong(1, from);
            statement.setLong(2, revision);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    read++;
                    last = new AppliedRevision.LogEntry(rows.getLong(1), rows.getLong(8));
                    if (!applied.isOwn(rows.getLong(1))) {
                        hasForeignRows = true;
                        note(ChangeRow.read(rows));
                    }
                }
            }
        }
        if (last != null) {
            applied.logged(last, epoch);
        }
        return read;
    }

    private void note(ChangeRow row) {
        try {
            if (!due.add(row)) {
                // A newer release has written it, about a thing that this one does not show.
                log.debug("Changes of the kind {} are passed over: this release does not know it", row.kind());
            }
        } catch (IllegalArgumentException | CairnException e) {
            // All that it may have named is read again, so nothing is missed.
            due.unreadable(row);
            if (unreadableToldNanos == 0 || System.nanoTime() - unreadableToldNanos > UNREADABLE_PAUSE_NANOS) {
                unreadableToldNanos = System.nanoTime();
                log.warn(
                        "Row {} of cairn_change names no {} and is passed over: {}",
                        row.revision(),
                        row.kind(),
                        e.getMessage());
            }
        }
    }

    private void compare(Connection open) throws SQLException {
        Set<ConfigKey> unseen = new HashSet<>();
        view.forEach(entry -> unseen.add(entry.key()));
        pages(open, "config_info", "''", rows -> {
            ConfigKey key = key(rows);
            unseen.remove(key);
            ConfigEntry shown = view.entry(key);
            if (shown == null || !isSame(shown, rows)) {
                due.suspect(key, ANYTHING);
            }
        });
        Map<ConfigKey, Integer> unseenGray = new HashMap<>();
        view.forEachGray(entry -> unseenGray.merge(entry.key(), 1, Integer::sum));
        pages(open, "config_info_gray", "gray_name", rows -> {
            ConfigKey key = key(rows);
            unseenGray.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
            String name = rows.getString(7);
            ConfigEntry shown = view.grayEntries(key).stream()
                    .filter(entry -> entry.gray() != null && entry.gray().name().equals(name))
                    .findFirst()
                    .orElse(null);
            if (shown == null || !isSame(shown, rows)) {
                due.suspect(key, ANYTHING);
            }
        });
        unseen.forEach(key -> due.suspect(key, ANYTHING));
        unseenGray.keySet().forEach(key -> due.suspect(key, ANYTHING));
    }

    private boolean isSame(ConfigEntry shown, ResultSet rows) throws SQLException {
        return shown.digest().toString().equals(rows.getString(5))
                && shown.lastModifiedMillis() == dialect.time(rows, 6);
    }

    private static ConfigKey key(ResultSet rows) throws SQLException {
        return new ConfigKey(Namespace.ofNullable(rows.getString(4)), rows.getString(3), rows.getString(2));
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private void pages(Connection open, String table, String name, RowReader reader) throws SQLException {
        String sql = "SELECT id, data_id, group_id, tenant_id, md5, gmt_modified, " + name + " FROM " + table
                + " WHERE id > ? ORDER BY id LIMIT " + PAGE;
        long last = Long.MIN_VALUE;
        int read = PAGE;
        while (read == PAGE) {
            read = 0;
            try (PreparedStatement statement = open.prepareStatement(sql)) {
                statement.setLong(1, last);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        read++;
                        last = rows.getLong(1);
                        if (!dialect.isOtherDefault(rows.getString(4))) {
                            readChecked(reader, rows);
                        }
                    }
                }
            }
        }
    }

    /** A row without a valid key is no configuration. */
    private static void readChecked(RowReader reader, ResultSet rows) throws SQLException {
        try {
            reader.read(rows);
        } catch (IllegalArgumentException | CairnException e) {
            log.debug("A row is left out: {}", e.getMessage());
        }
    }

    /** Shows what is due. A part that cannot be read stays due, and holds up no other. */
    private void follow() {
        if (due.isEmpty() && !hasForeignRows) {
            return;
        }
        isInTurn = false;
        log.debug("{} configurations may have been changed by others", due.configs.size());
        recheck();
        for (DueChanges.Part part : List.copyOf(due.parts)) {
            attempt(part.name(), () -> reload(part), () -> due.parts.remove(part));
        }
        if (!due.services.isEmpty()) {
            Set<ServiceKey> services = Set.copyOf(due.services);
            attempt("services", () -> onWriter(() -> parts.services(services)), due.services::clear);
        }
        if (!due.switches.isEmpty()) {
            Set<String> names = Set.copyOf(due.switches);
            attempt("switches", () -> onWriter(() -> parts.switches(names)), due.switches::clear);
        }
        if (!isInTurn) {
            // A row may be a commit of this node that the writer has not shown yet; after its turn it has.
            onWriter(() -> {});
        }
        hasForeignRows = false;
    }

    private void reload(DueChanges.Part part) {
        switch (part) {
            case REGISTRY -> onWriter(parts::registry);
            case ACCOUNTS -> parts.accounts();
            case NAMESPACES -> parts.namespaces();
            case SECRETS -> parts.secrets();
        }
    }

    private void onWriter(Runnable reload) {
        writer.submit(new ReloadCommand(reload)).join();
        isInTurn = true;
    }

    private static void attempt(String part, Runnable reload, Runnable done) {
        try {
            reload.run();
            done.run();
        } catch (CompletionException | CairnException e) {
            log.debug("Reading {} again failed and is repeated", part, e);
        } catch (RuntimeException e) {
            log.error("Reading {} again failed on a defect of the server and is repeated", part, e);
        }
    }

    private void recheck() {
        List<ConfigKey> keys = List.copyOf(due.configs.keySet());
        for (int from = 0; from < keys.size(); from += RECHECKED_AT_ONCE) {
            Map<ConfigKey, Suspicion> some = new HashMap<>();
            for (ConfigKey key : keys.subList(from, Math.min(keys.size(), from + RECHECKED_AT_ONCE))) {
                some.put(key, due.configs.getOrDefault(key, ANYTHING));
            }
            try {
                writer.submit(new RecheckCommand(some, view)).join();
                isInTurn = true;
            } catch (CompletionException e) {
                if (isPassing(e)) {
                    throw e;
                }
                // One that cannot be read must not hold up the others; comparing all finds it again.
                log.warn("{} configurations could not be read again: {}", some.size(), e.getMessage());
            }
            due.configs.keySet().removeAll(some.keySet());
        }
    }

    private static boolean isPassing(CompletionException failure) {
        return failure.getCause() instanceof CairnException cause
                && (cause.code() == ErrorCode.BUSY || cause.code() == ErrorCode.UNAVAILABLE);
    }

    @Override
    public void close() {
        closed = true;
        signal.release();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
