package io.cairn.server.storage.database;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a writer's session lasts without a statement.
 *
 * @param useEvery interval of uses outside a transaction; zero if unlimited
 * @param server the session's run of the database server; null if irrelevant
 */
public record SessionLimit(Duration useEvery, @Nullable ServerRun server) {

    /** An unlimited session. */
    public static final SessionLimit NONE = new SessionLimit(Duration.ZERO, null);

    /** A start time in seconds is not exact. */
    private static final long TOLERANCE_SECONDS = 2;

    /**
     * A run of a database server.
     *
     * @param id of server and data
     * @param startedAtSeconds by its clock, in epoch seconds
     */
    public record ServerRun(String id, long startedAtSeconds) {}

    /** Whether both sessions belong to the same run, so that the other has all commits and nothing was lost. */
    public boolean isOfSameRun(SessionLimit other) {
        return server != null
                && other.server != null
                && server.id().equals(other.server.id())
                && Math.abs(server.startedAtSeconds() - other.server.startedAtSeconds()) <= TOLERANCE_SECONDS;
    }
}
