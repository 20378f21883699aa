package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what others have changed in the database: other nodes by the change log, Nacos or a person by comparing every
 * row's md5 and time with what is shown. What may differ is looked at again by the writer, which decides. Also notices
 * that the database is away when this node does not write. Has a thread of its own, named {@code cairn-store-follow}.
 */
public final class ExternalChangePoller implements AutoCloseable {

    private static final int PAGE = 1_000;
    private static final int RECHECKED_AT_ONCE = 200;
    private static final long UNREADABLE_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final Logger log = LoggerFactory.getLogger(ExternalChangePoller.class);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final StoreWriter writer;
    private final ConfigView view;
    private final Settings settings;
    private final Runnable onNamingChanged;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "cairn-store-follow");

    private @Nullable Connection connection;
    private long seenRevision = -1;
    private long seenGaps;
    private int seenReconnections;
    private long unreadableToldNanos;
    private long comparedNanos;

    /** Configurations that differ and are not shown yet; kept until a recheck has succeeded. */
    private final Set<ConfigKey> suspects = new HashSet<>();

    private boolean namingDue;
    private boolean compareDue;

    /**
     * @param heartbeat how often the change log is looked at
     * @param compare how often all rows are compared
     */
    public record Settings(Duration heartbeat, Duration compare) {}

    /**
     * @param source opens connections with time-outs
     * @param onNamingChanged called on the writer's thread when another node has changed the registry's lasting part
     */
    public ExternalChangePoller(
            ConnectionSource source,
            Dialect dialect,
            StoreWriter writer,
            ConfigView view,
            Settings settings,
            Runnable onNamingChanged) {
        this.source = source;
        this.dialect = dialect;
        this.writer = writer;
        this.view = view;
        this.settings = settings;
        this.onNamingChanged = onNamingChanged;
        thread.setDaemon(true);
    }

    public void start() {
        comparedNanos = System.nanoTime();
        thread.start();
    }

    private void run() {
        try {
            while (!end.await(settings.heartbeat().toMillis(), TimeUnit.MILLISECONDS)) {
                look();
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
        int reconnections = writer.reconnections();
        if (reconnections != seenReconnections) {
            // It may lead to another of several sources now, which may lack what the one before had, or have more.
            disconnect();
            compareDue = true;
            namingDue = true;
            seenReconnections = reconnections;
        }
        try {
            Connection open = connected();
            readLog(open);
            if (compareDue
                    || System.nanoTime() - comparedNanos >= settings.compare().toNanos()) {
                compare(open, suspects);
                comparedNanos = System.nanoTime();
                compareDue = false;
            }
            recheck();
        } catch (SQLException e) {
            disconnect();
            if (dialect.isConnectionFailure(e) && end.getCount() > 0) {
                writer.circuit()
                        .open(new CairnException(
                                ErrorCode.UNAVAILABLE, "The database does not answer: " + dialect.explain(e), e));
            } else {
                log.warn("Looking for what others have changed failed: {}", dialect.explain(e));
            }
        } catch (CompletionException e) {
            log.debug("Looking for what others have changed failed", e);
        } catch (RuntimeException e) {
            disconnect();
            log.error("Looking for what others have changed failed on a defect of the server", e);
        }
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

    // --- other nodes

    /** Notes what other nodes have changed. */
    private void readLog(Connection open) throws SQLException {
        // Before the revision: what this node commits in between is read once more, and found to be shown already.
        StoreWriter.Position own = writer.position();
        long revision = revision(open);
        if (seenRevision < 0 || revision < seenRevision) {
            // The changes between loading and now are unknown, or the database is an older one.
            compareDue = true;
            namingDue = true;
        } else {
            // Without a gap all up to the last own revision is either seen or this node's.
            long from = own.gaps() == seenGaps ? Math.max(seenRevision, own.last()) : seenRevision;
            if (revision > from && readLog(open, from, revision) < revision - from) {
                // The log has been trimmed meanwhile.
                compareDue = true;
                namingDue = true;
            }
        }
        seenRevision = revision;
        seenGaps = own.gaps();
    }

    /** Returns how many changes were read. */
    private long readLog(Connection open, long from, long revision) throws SQLException {
        long read = 0;
        try (PreparedStatement statement = open.prepareStatement("SELECT kind, data_id, group_id, tenant_id, md5"
                + " FROM cairn_change WHERE revision > ? AND revision <= ? ORDER BY revision")) {
            statement.setLong(1, from);
            statement.setLong(2, revision);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    read++;
                    String kind = rows.getString(1);
                    if (kind.equals(ChangeRow.CONFIG) || kind.equals(ChangeRow.GRAY)) {
                        suspect(rows, kind.equals(ChangeRow.GRAY));
                    } else if (List.of(ChangeRow.SERVICE, ChangeRow.INSTANCE, ChangeRow.OVERRIDE, ChangeRow.SWITCH)
                            .contains(kind)) {
                        // Which of them is not told apart; when nodes share a registry they will announce it.
                        namingDue = true;
                    }
                }
            }
        }
        return read;
    }

    /** Notes the configuration of a row of the log, unless what is shown is what the row says. */
    private void suspect(ResultSet rows, boolean isGray) throws SQLException {
        try {
            ConfigKey key = key(rows);
            Optional<ContentDigest> now = ContentDigest.parse(rows.getString(5));
            ConfigEntry shown = view.entry(key);
            if (isGray || !Optional.ofNullable(shown).map(ConfigEntry::digest).equals(now)) {
                suspects.add(key);
            }
        } catch (IllegalArgumentException | CairnException e) {
            // Comparing looks at the rows themselves, so nothing is missed but the moment.
            compareDue = true;
            if (unreadableToldNanos == 0 || System.nanoTime() - unreadableToldNanos > UNREADABLE_PAUSE_NANOS) {
                unreadableToldNanos = System.nanoTime();
                log.warn("A row of cairn_change names no configuration and is passed over: {}", e.getMessage());
            }
        }
    }

    private static long revision(Connection open) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement("SELECT value FROM cairn_revision WHERE id = 1");
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("table cairn_revision is empty (expected: one row with id 1)");
            }
            return rows.getLong(1);
        }
    }

    // --- Nacos, and people

    private void compare(Connection open, Set<ConfigKey> suspects) throws SQLException {
        Set<ConfigKey> unseen = new HashSet<>();
        view.forEach(entry -> unseen.add(entry.key()));
        pages(open, "config_info", "''", rows -> {
            ConfigKey key = key(rows);
            unseen.remove(key);
            ConfigEntry shown = view.entry(key);
            if (shown == null || !isSame(shown, rows)) {
                suspects.add(key);
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
                suspects.add(key);
            }
        });
        suspects.addAll(unseen);
        suspects.addAll(unseenGray.keySet());
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

    private void recheck() {
        if (suspects.isEmpty() && !namingDue) {
            return;
        }
        log.debug("{} configurations may have been changed by others", suspects.size());
        if (namingDue) {
            AtomicBoolean reloaded = new AtomicBoolean();
            Runnable reload = () -> {
                onNamingChanged.run();
                reloaded.set(true);
            };
            writer.submit(new RecheckCommand(Set.of(), view, reload)).join();
            namingDue = !reloaded.get();
        }
        List<ConfigKey> keys = List.copyOf(suspects);
        for (int from = 0; from < keys.size(); from += RECHECKED_AT_ONCE) {
            List<ConfigKey> some = keys.subList(from, Math.min(keys.size(), from + RECHECKED_AT_ONCE));
            try {
                writer.submit(new RecheckCommand(Set.copyOf(some), view, () -> {}))
                        .join();
            } catch (CompletionException e) {
                if (isPassing(e)) {
                    throw e;
                }
                // One that cannot be read must not hold up the others; comparing all finds it again.
                log.warn("{} configurations could not be read again: {}", some.size(), e.getMessage());
            }
            some.forEach(suspects::remove);
        }
    }

    private static boolean isPassing(CompletionException failure) {
        return failure.getCause() instanceof CairnException cause
                && (cause.code() == ErrorCode.BUSY || cause.code() == ErrorCode.UNAVAILABLE);
    }

    @Override
    public void close() {
        end.countDown();
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
