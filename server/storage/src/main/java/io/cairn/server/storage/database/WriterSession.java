package io.cairn.server.storage.database;

import java.time.Duration;
import java.util.Locale;

/**
 * A node's writer session in the database's list.
 *
 * @param node {@code host:port}
 * @param id in the database
 * @param client the session's address, perhaps a proxy's
 * @param since time in that state, in seconds
 * @param beat time since the node's last heartbeat
 */
public record WriterSession(String node, long id, String client, State state, Duration since, Duration beat) {

    /** The database's work for a session. */
    public enum State {
        /** It waits for a statement. */
        SILENT,
        /** It waits for the lock of all writes, or asks for the state of others. */
        WAITING,
        AT_WORK;

        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    @Override
    public String toString() {
        return "session " + id + " of node " + node + " (from " + client + ", " + state.text() + " for "
                + since.toSeconds() + " s)";
    }
}
