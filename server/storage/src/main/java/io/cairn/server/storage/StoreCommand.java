package io.cairn.server.storage;

import java.sql.SQLException;

/**
 * A command to the writer.
 *
 * @param <R> its result
 */
interface StoreCommand<R> {

    /** Called for each command of a group before the first is executed, to announce the rows that it will read. */
    default void expect(WriteTransaction transaction) {}

    /** Does the work within a transaction that other commands share; may run again after a rollback. */
    R execute(WriteTransaction transaction) throws SQLException;

    /** Called after the durable commit, on the writer's thread, in commit order, before the result is handed out. */
    void committed(R result);

    /** Called after all commands of the group have been answered, to wake the followers of changes. */
    void announce(R result);

    /** Whether it may take minutes: it then has a transaction by itself, and the database is not taken for away meanwhile. */
    default boolean takesLong() {
        return false;
    }

    /**
     * Whether its caller is answered when other nodes show the group as well. False for a command by which this node follows the
     * others: nodes that wait for each other's answer there would wait until the time limit.
     */
    default boolean waitsForOtherNodes() {
        return true;
    }

    /** About how many bytes it keeps in memory while it waits. */
    int weightBytes();
}
