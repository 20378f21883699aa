package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.database.LockHeldException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;

/** Meanings and explanations of PostgreSQL's SQLSTATEs. */
final class PostgreSqlErrors {

    static final String READ_ONLY = "25006";
    static final String UNTRANSLATABLE = "22021";
    private static final String DUPLICATE_KEY = "23505";
    private static final String TOO_LONG = "22001";
    private static final String LOCK_TIMEOUT = "55P03";
    private static final String SERIALIZATION = "40001";
    private static final String DEADLOCK = "40P01";
    private static final String NO_PRIVILEGE = "42501";
    private static final String NO_TABLE = "42P01";
    private static final String NO_DATABASE = "3D000";
    private static final String NO_SCHEMA = "3F000";
    private static final String DISK_FULL = "53100";
    private static final String PRESENT_STATEMENT = "42P05";
    private static final String INTERNAL = "XX000";

    private static final Set<String> LOCKED_OUT = Set.of(LOCK_TIMEOUT, SERIALIZATION, DEADLOCK);
    private static final Set<String> BAD_VALUES = Set.of(UNTRANSLATABLE, TOO_LONG, "22P05");
    /**
     * A standby, a stopped or restarting server, a session that the server ended, and a statement that it prepared for another
     * session or for other columns.
     */
    private static final Set<String> OF_SESSIONS =
            Set.of(READ_ONLY, "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "26000");

    private static final Set<String> WRONG_SETTINGS = Set.of(NO_DATABASE, NO_SCHEMA, NO_PRIVILEGE);

    private PostgreSqlErrors() {}

    private static String state(SQLException failure) {
        String state = failure.getSQLState();
        return state == null ? "" : state;
    }

    static boolean isDuplicateKey(SQLException failure) {
        return state(failure).equals(DUPLICATE_KEY);
    }

    static boolean isLockedOut(SQLException failure) {
        return LOCKED_OUT.contains(state(failure));
    }

    static boolean isBadValue(SQLException failure) {
        return BAD_VALUES.contains(state(failure));
    }

    static boolean isWrongSetting(SQLException failure) {
        return failure instanceof UnsupportedServerException
                || state(failure).startsWith("28")
                || WRONG_SETTINGS.contains(state(failure));
    }

    static boolean isConnectionFailure(SQLException failure) {
        if (state(failure).startsWith("08") || OF_SESSIONS.contains(state(failure))) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException) {
                return true;
            }
        }
        return String.valueOf(failure.getMessage()).contains("cached plan must not change result type");
    }

    /** Class 53 are limits, 58 failures of the system, XX damage. */
    static boolean refusesWrites(SQLException failure) {
        String state = state(failure);
        return isConnectionFailure(failure)
                || isWrongSetting(failure)
                || state.equals(LOCK_TIMEOUT)
                || state.equals(NO_TABLE)
                || state.startsWith("53")
                || state.startsWith("58")
                || state.startsWith("XX");
    }

    static String explain(SQLException failure) {
        if (failure instanceof LockHeldException || failure instanceof UnsupportedServerException) {
            return String.valueOf(failure.getMessage());
        }
        String state = state(failure);
        String line = firstLine(failure);
        if (state.startsWith("28")) {
            return "the database refuses the user or the password (" + line + "): correct db.user and db.password";
        }
        return switch (state) {
            case READ_ONLY -> "the database is read-only (" + line + ")";
            case NO_PRIVILEGE -> "the user lacks a privilege (" + line + "): grant it";
            case NO_DATABASE -> "the database does not exist (" + line + "): create it, or correct its name in db.url";
            case NO_SCHEMA ->
                "no schema of the database can be used (" + line + "): create it, or correct currentSchema in db.url";
            case NO_TABLE -> "a table is missing (" + line + "): restart to have it created";
            case LOCK_TIMEOUT -> "another program holds a lock on the rows for too long";
            case SERIALIZATION, DEADLOCK -> "another program wrote the same rows at the same time; try again";
            case PRESENT_STATEMENT ->
                "a pooler gives the transactions of a connection different sessions (" + line
                        + "): add prepareThreshold=0 to db.url";
            case DISK_FULL -> "the disk of the database is full: free some space";
            default -> others(failure, state, line);
        };
    }

    private static String others(SQLException failure, String state, String line) {
        if (state.startsWith("53")) {
            return "a limit of the database is reached (" + line + "): raise it there";
        }
        if (state.startsWith("58") || state.startsWith("XX") && !state.equals(INTERNAL)) {
            return "the database cannot use its files (" + line + "): look at its log and its disk";
        }
        return isConnectionFailure(failure) ? "no connection to the database (" + rootCause(failure) + ")" : line;
    }

    private static String firstLine(Throwable failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    }

    private static String rootCause(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return firstLine(root);
    }
}
