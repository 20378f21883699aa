package io.cairn.server.storage.cluster;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.Following;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.GrayRule;
import io.cairn.server.storage.cluster.RecheckCommand.Suspicion;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.FailureText;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.ConfigEntries;
import io.cairn.server.storage.writer.AppliedRevision;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows others' changes: of nodes by the change log, of Nacos or a person by comparing each row's md5 and time. Reads the log at
 * each notice ({@link AppliedRevision}) and each heartbeat. The writer reads possible differences again and decides. Also detects
 * an unavailable database without writes. Owns the thread {@code cairn-store-follow}.
 */
public final class ExternalChangePoller implements AutoCloseable {

    private static final int PAGE = 1_000;
    /** Keys of one statement. */
    private static final int RECHECKED_AT_ONCE = 64;

    private static final long NOT_BEGUN = -1;
    /** Other changes at known revisions: the database has lost commits. */
    private static final long OF_OTHER_STATE = -1;

    private static final Suspicion ANYTHING = new Suspicion(true, true);
    private static final long UNREADABLE_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final Logger log = LoggerFactory.getLogger(ExternalChangePoller.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final StoreWriter writer;
    private final AppliedRevision applied;
    private final Following following;
    private final ConfigView view;
    private final Settings settings;
    private final FollowedParts parts;
    private final LeftOutRows leftOut;
    /** Has a permit when the log must be read before the next heartbeat. */
    private final Semaphore signal = new Semaphore(0);

    private final Thread thread = new Thread(this::run, "cairn-store-follow");
    private volatile boolean closed;

    private @Nullable Connection connection;
    private final DueChanges due = new DueChanges();
    /** The last read revision, or {@link #NOT_BEGUN}. */
    private long seenRevision = NOT_BEGUN;

    private int seenEpoch;
    /** Whether the last full comparison was with this database. */
    private boolean isCertain;

    /** Whether the database has lost commits since the last full comparison. */
    private boolean hasLost;
    /** Whether the log had possibly foreign rows since the writer's last turn. */
    private boolean hasForeignRows;
    /** Whether the writer has had its turn since the log was read. */
    private boolean isInTurn;

    /** Why a part must still be read again. */
    private String failedPart = "";

    private long unreadableToldNanos;
    private long comparedNanos;

    /**
     * @param heartbeat longest interval of reads of the change log
     * @param compare interval of full comparisons
     */
    public record Settings(Duration heartbeat, Duration compare) {}

    /**
     * @param source opens connections with time-outs
     * @param parts read changes of other nodes
     * @param leftOut notes unusable rows
     */
    public ExternalChangePoller(
            ConnectionSource source,
            Dialect dialect,
            StoreWriter writer,
            ConfigView view,
            Settings settings,
            FollowedParts parts,
            LeftOutRows leftOut) {
        this.source = source;
        this.dialect = dialect;
        this.writer = writer;
        this.applied = writer.applied();
        this.following = applied.following();
        this.view = view;
        this.settings = settings;
        this.parts = parts;
        this.leftOut = leftOut;
        thread.setDaemon(true);
    }

    public void start() {
        comparedNanos = System.nanoTime();
        applied.onWake(signal::release);
        following.onAsk(signal::release);
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                if (signal.tryAcquire(settings.heartbeat().toMillis(), TimeUnit.MILLISECONDS)) {
                    // Before the log is read: a later notice starts another read.
                    signal.drainPermits();
                }
                if (!closed) {
                    checkForAll();
                }
            }
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread.
            Thread.currentThread().interrupt();
        } finally {
            disconnect();
        }
    }

    /** Checks, and answers the callers that asked before. */
    private void checkForAll() {
        CompletableFuture<Boolean> awaited = applied.checks().begin();
        boolean isShown = false;
        try {
            isShown = check();
        } finally {
            if (awaited != null) {
                awaited.complete(isShown);
            }
        }
    }

    /** Whether this node shows everything stored at the begin. */
    private boolean check() {
        following.attempt();
        CairnException away = writer.circuit().cause();
        if (away != null) {
            following.failed(away.text());
            // The writer detects its return. A comparison then finds missed changes.
            disconnect();
            comparedNanos = System.nanoTime() - settings.compare().toNanos();
            return false;
        }
        int epoch = applied.epoch();
        if (epoch != seenEpoch) {
            // It may lead to another of several sources, which may lack commits or have more.
            disconnect();
            begin();
            seenEpoch = epoch;
        }
        try {
            following.step("reading the change log");
            Connection open = connected();
            readLog(open, epoch);
            boolean compares = due.compare
                    || following.isComparisonAsked()
                    || System.nanoTime() - comparedNanos >= settings.compare().toNanos();
            if (compares) {
                compare(open);
                comparedNanos = System.nanoTime();
                due.compare = false;
            }
            failedPart = "something that has changed is read again";
            follow();
            if (due.isEmpty() && !hasForeignRows) {
                if (isCertain) {
                    applied.followed(seenRevision, epoch);
                } else {
                    applied.compared(seenRevision, entry(open, seenRevision), hasLost, epoch);
                    isCertain = true;
                    hasLost = false;
                }
                following.followed(compares);
                return true;
            }
            following.failed(failedPart);
        } catch (SQLException e) {
            following.failed(dialect.explain(e));
            disconnect();
            if (dialect.isConnectionFailure(e) && !closed) {
                writer.circuit()
                        .open(new CairnException(
                                ErrorCode.UNAVAILABLE, "The database does not answer: " + dialect.explain(e), e));
            } else {
                log.warn("Reading what others have changed failed: {}", dialect.explain(e));
            }
        } catch (CompletionException e) {
            following.failed(FailureText.of(e));
            log.debug("Reading what others have changed failed", e);
        } catch (RuntimeException e) {
            following.failed("a defect of the server: " + e);
            disconnect();
            log.error("Reading what others have changed failed on a defect of the server", e);
        }
        return false;
    }

    /** The database may be in another state than the followed one. */
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

    private void readLog(Connection open, int epoch) throws SQLException {
        // Before the revision: commits of this node in between are read again, and found shown. Up to the applied
        // revision, each
        // change was seen or is this node's.
        long from = isCertain ? Math.max(seenRevision, applied.appliedRevision()) : seenRevision;
        long revision = ConfigEntries.revision(open);
        if (revision < from) {
            begin();
        }
        if (seenRevision != NOT_BEGUN && revision > from) {
            long read = readLog(open, from, revision, epoch);
            if (read == OF_OTHER_STATE) {
                begin();
            } else if (read < revision - from) {
                // The log has been trimmed meanwhile.
                due.everything();
            }
        }
        if (seenRevision == NOT_BEGUN) {
            // The changes since the load are unknown, or the database is another one.
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
        }
        seenRevision = revision;
    }

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

    /** Returns the number of changes after {@code from}, or {@link #OF_OTHER_STATE}. */
    private long readLog(Connection open, long from, long revision, int epoch) throws SQLException {
        long read = 0;
        AppliedRevision.LogEntry known = applied.lastLogged();
        AppliedRevision.LogEntry last = null;
        try (PreparedStatement statement =
                open.prepareStatement("SELECT revision, kind, op_type, data_id, group_id, tenant_id, md5, batch"
                        + " FROM cairn_change WHERE revision >= ? AND revision <= ? ORDER BY revision")) {
            statement.setLong(1, from);
            statement.setLong(2, revision);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    AppliedRevision.LogEntry entry = new AppliedRevision.LogEntry(rows.getLong(1), rows.getLong(8));
                    if (known != null && known.revision() == entry.revision() && known.batch() != entry.batch()) {
                        return OF_OTHER_STATE;
                    }
                    if (entry.revision() == from) {
                        continue;
                    }
                    read++;
                    if (last != null && last.batch() != entry.batch()) {
                        applied.logged(last, epoch);
                    }
                    last = entry;
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
                // A newer release wrote it, about a thing that this one does not show.
                log.debug("Changes of the kind {} are passed over: this release does not know it", row.kind());
            }
        } catch (IllegalArgumentException | CairnException e) {
            // All possible things are read again, so nothing is missed.
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
        pages(open, TableNames.FORMAL, row -> {
            unseen.remove(row.key());
            ConfigEntry shown = view.entry(row.key());
            if (shown == null || !row.isShownAs(shown)) {
                due.suspect(row.key(), ANYTHING);
            }
        });
        Map<ConfigKey, Integer> unseenGray = new HashMap<>();
        view.forEachGray(entry -> unseenGray.merge(entry.key(), 1, Integer::sum));
        for (String table : TableNames.GRAYS) {
            pages(open, table, row -> {
                unseenGray.computeIfPresent(row.key(), (same, count) -> count == 1 ? null : count - 1);
                if (view.grayEntries(row.key()).stream().noneMatch(row::isShownAs)) {
                    due.suspect(row.key(), ANYTHING);
                }
            });
        }
        unseen.forEach(key -> due.suspect(key, ANYTHING));
        unseenGray.keySet().forEach(key -> due.suspect(key, ANYTHING));
    }

    /**
     * A row for the comparison.
     *
     * @param gray null for a release for all clients
     */
    private record Row(
            ConfigKey key,
            @Nullable String md5,
            long modifiedMillis,
            @Nullable GrayRule gray) {

        boolean isShownAs(ConfigEntry shown) {
            return shown.digest().matches(md5)
                    && shown.lastModifiedMillis() == modifiedMillis
                    && Objects.equals(name(shown.gray()), name(gray));
        }

        private static @Nullable String name(@Nullable GrayRule rule) {
            return rule == null ? null : rule.name();
        }
    }

    private void pages(Connection open, String table, Consumer<Row> consumer) throws SQLException {
        boolean isGray = TableNames.GRAYS.contains(table);
        String sql =
                "SELECT id, data_id, group_id, tenant_id, md5, gmt_modified" + (isGray ? ", gray_name, gray_rule" : "")
                        + " FROM " + table + " WHERE id > ? ORDER BY id LIMIT " + PAGE;
        LeftOutRows.Reading reading = leftOut.whole(table);
        long last = Long.MIN_VALUE;
        int read = PAGE;
        // No statement can ask for ids beyond a long.
        while (read == PAGE && last < Long.MAX_VALUE) {
            following.step("comparing the rows of " + table);
            read = 0;
            try (PreparedStatement statement = open.prepareStatement(sql)) {
                statement.setLong(1, last);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        read++;
                        last = RowRules.clamped(rows, 1);
                        if (!dialect.isOtherDefault(rows.getString(4))) {
                            reading.read(rows, row -> row(table, row, isGray, reading), 1)
                                    .ifPresent(consumer);
                        }
                    }
                }
            }
        }
        reading.done();
    }

    private Row row(String table, ResultSet rows, boolean isGray, LeftOutRows.Reading reading) throws SQLException {
        long id = rows.getLong(1);
        GrayRule rule = isGray
                ? ConfigEntries.rule(table, RowRules.name("gray_name", rows.getString(7)), rows.getString(8))
                : null;
        ConfigKey key = RowRules.key(rows, 2, 3, 4);
        ConfigEntries.noteUnreadableRule(reading, rule, id);
        return new Row(key, rows.getString(5), dialect.time(rows, 6), rule);
    }

    /** Shows due changes. A part that fails stays due, and delays no other. */
    private void follow() {
        if (due.isEmpty() && !hasForeignRows) {
            return;
        }
        isInTurn = false;
        following.step("reading again what has changed");
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
            // A row may be an unshown commit of this node; after the writer's turn it is shown.
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
        writer.follow(new ReloadCommand(reload));
        isInTurn = true;
    }

    private void attempt(String part, Runnable reload, Runnable done) {
        following.step("reading " + part + " again");
        try {
            reload.run();
            done.run();
        } catch (CompletionException | CairnException e) {
            failedPart = "reading " + part + " again failed: " + FailureText.of(e);
            log.debug("Reading {} again failed and is repeated", part, e);
        } catch (RuntimeException e) {
            failedPart = "reading " + part + " again failed on a defect of the server: " + e;
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
                writer.follow(new RecheckCommand(some, view));
                isInTurn = true;
            } catch (CompletionException e) {
                if (isPassing(e)) {
                    throw e;
                }
                if (some.size() > 1) {
                    some.forEach(this::recheckAlone);
                } else {
                    leaveOut(keys.get(from), e);
                }
            }
            due.configs.keySet().removeAll(some.keySet());
        }
    }

    /** A failing row must not delay others; the comparison of all finds it again. */
    private void recheckAlone(ConfigKey key, Suspicion suspicion) {
        try {
            writer.follow(new RecheckCommand(Map.of(key, suspicion), view));
        } catch (CompletionException e) {
            if (isPassing(e)) {
                throw e;
            }
            leaveOut(key, e);
        }
    }

    private void leaveOut(ConfigKey key, CompletionException failure) {
        leftOut.some(TableNames.FORMAL)
                .leave(
                        RowRules.printable(key.toString()),
                        "it could not be read again and is shown as it was: " + FailureText.of(failure));
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
