package io.cairn.server.storage;

import java.sql.SQLException;

/**
 * One order to the writer.
 *
 * @param <R> its result
 */
interface StoreCommand<R> {

    /** Called for each of a group before the first is executed, to say what will be read. */
    default void expect(WriteTransaction transaction) {}

    /** Does the work within a transaction that other commands share; may run again after a rollback. */
    R execute(WriteTransaction transaction) throws SQLException;

    /** Called after the durable commit, on the writer's thread, in commit order, before the result is handed out. */
    void committed(R result);

    /** Called after all of the group have been answered, to wake whoever follows changes. */
    void announce(R result);

    /** Whether it may take minutes: it then has a transaction by itself, and nobody takes the database for away. */
    default boolean takesLong() {
        return false;
    }

    /** About how many bytes it keeps in memory while it waits. */
    int weightBytes();
}
