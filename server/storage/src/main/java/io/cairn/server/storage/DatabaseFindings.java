package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds a database that is away or refuses writes, that has lost commits, or that has the pages of an earlier release. */
public final class DatabaseFindings implements FindingSource {

    private static final Duration LOSS_IS_NEWS = Duration.ofDays(1);

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
        AppliedRevision.@Nullable LostCommits lost = writer.applied().lostCommits();
        if (lost != null && !lost.foundAt().isBefore(clock.instant().minus(LOSS_IS_NEWS))) {
            found.add(lostCommits(lost));
        }
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
