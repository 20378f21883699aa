package io.cairn.server.storage.writer;

import java.sql.SQLException;

/**
 * A command to the writer.
 *
 * @param <R> its result
 */
public interface StoreCommand<R> {

    /** Called for each command of a group before the first runs, to announce its rows. */
    default void expect(WriteTransaction transaction) {}

    /** Runs in a transaction shared with other commands; may run again after a rollback. */
    R execute(WriteTransaction transaction) throws SQLException;

    /** Called after the durable commit, on the writer's thread, in commit order, before the answer. */
    void committed(R result);

    /** Called after all answers of the group, to notify followers. */
    void announce(R result);

    /** Whether it may take minutes: then it has its own transaction, and the database does not count as away. */
    default boolean takesLong() {
        return false;
    }

    /**
     * Whether it only reads. It runs in its turn on the writer's thread, without a transaction and without the lock of other nodes'
     * writers.
     */
    default boolean readsOnly() {
        return false;
    }

    /** Its approximate memory while it waits. */
    int weightBytes();
}
