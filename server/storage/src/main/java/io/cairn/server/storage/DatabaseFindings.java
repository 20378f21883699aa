package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.StoreDamage;
import io.cairn.server.storage.database.WriterSession;
import io.cairn.server.storage.sqlite.SqliteDatabase;
import io.cairn.server.storage.writer.AppliedRevision;
import io.cairn.server.storage.writer.LockWaits;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.storage.writer.WriteAvailability;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a database that is away, refuses writes, is damaged, lost commits, has unusable rows, ignores case or has old pages; and a
 * node that held the lock of writes.
 */
public final class DatabaseFindings implements FindingSource {

    private static final Duration LOSS_IS_NEWS = Duration.ofDays(1);
    private static final Duration HELD_LOCK_IS_NEWS = Duration.ofHours(1);

    private final Database database;
    private final StoreWriter writer;
    private final Clock clock;

    public DatabaseFindings(Database database, StoreWriter writer, Clock clock) {
        this.database = database;
        this.writer = writer;
        this.clock = clock;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        WriteAvailability writes = writer.availability();
        CairnException cause = writes.cause();
        if (cause != null) {
            found.add(Finding.of(
                    writes.isRefusing() ? Finding.Kind.WRITES_REFUSED : Finding.Kind.DATABASE_AWAY,
                    true,
                    "database",
                    cause.text()));
        }
        damaged("database", true, database.damage()).ifPresent(found::add);
        if (database instanceof RemoteDatabase remote) {
            damaged("mirror", false, remote.mirror().damage()).ifPresent(found::add);
        }
        AppliedRevision.@Nullable LostCommits lost = writer.applied().lostCommits();
        if (lost != null && !lost.foundAt().isBefore(clock.instant().minus(LOSS_IS_NEWS))) {
            found.add(lostCommits(lost));
        }
        LockWaits.@Nullable HeldLock held = writer.lastHeldLock();
        if (held != null && !held.freedAt().isBefore(clock.instant().minus(HELD_LOCK_IS_NEWS))) {
            found.add(heldLock(held));
        }
        database.leftOut().present().stream().map(DatabaseFindings::leftOut).forEach(found::add);
        database.caselessTables()
                .map(text -> Finding.of(Finding.Kind.CASE_IGNORED, false, "database", "The " + text))
                .ifPresent(found::add);
        if (database instanceof SqliteDatabase sqlite) {
            sqlite.keptPages()
                    .map(why -> Finding.of(
                            Finding.Kind.DATABASE_PAGES_OLD,
                            false,
                            sqlite.file().toString(),
                            why))
                    .ifPresent(found::add);
        }
        return found;
    }

    private static Optional<Finding> damaged(String subject, boolean urgent, StoreDamage damage) {
        return Optional.ofNullable(damage.found())
                .map(found -> new Finding(
                        Finding.Kind.DATABASE_DAMAGED,
                        urgent,
                        subject,
                        "",
                        found.text(),
                        0,
                        0,
                        found.at().toEpochMilli(),
                        ""));
    }

    private static Finding leftOut(LeftOutRows.OfTable left) {
        return new Finding(Finding.Kind.ROWS_LEFT_OUT, false, left.table(), "", left.text(), left.rows(), 0);
    }

    private static Finding heldLock(LockWaits.HeldLock held) {
        WriterSession session = held.session();
        return new Finding(
                Finding.Kind.WRITE_LOCK_HELD,
                false,
                session.node(),
                "",
                "It stopped inside a write, and the writes of other nodes waited until the database ended its session "
                        + session.id()
                        + " (from " + session.client()
                        + "), which held the lock that all writes take: see whether that node runs and"
                        + " reaches the database",
                0,
                0,
                held.freedAt().toEpochMilli(),
                "");
    }

    private static Finding lostCommits(AppliedRevision.LostCommits lost) {
        return new Finding(
                Finding.Kind.DATABASE_LOST_COMMITS,
                true,
                "database",
                "",
                "It went back from revision " + lost.before() + " to an earlier state and was at revision "
                        + lost.now() + " when this was found at "
                        + lost.foundAt().truncatedTo(ChronoUnit.SECONDS)
                        + ". What was acknowledged in between may be missing: publish it again",
                0,
                0,
                lost.foundAt().toEpochMilli(),
                "");
    }
}
