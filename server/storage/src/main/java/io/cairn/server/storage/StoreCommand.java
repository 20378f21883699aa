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
     * Whether it reads only. It then runs in its turn on the writer's thread, without a transaction and without the lock that
     * other nodes' writers wait for.
     */
    default boolean readsOnly() {
        return false;
    }

    /** About how many bytes it keeps in memory while it waits. */
    int weightBytes();
}
