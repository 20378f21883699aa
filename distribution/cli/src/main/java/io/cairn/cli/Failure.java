package io.cairn.cli;

import org.jspecify.annotations.Nullable;

/** The failure of a command, as one line for its user. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    enum Remedy {
        /** No retry helps; the command, a setting or a permission must change. */
        NONE,
        /** Retry later: the server is unavailable, starting, stopping or busy. */
        PATIENCE,
        /** Log in again: the token has expired or was revoked. */
        LOGIN
    }

    private final Remedy remedy;
    private final boolean saidByServer;

    Failure(String message) {
        this(message, Remedy.NONE, null, false);
    }

    Failure(String message, Throwable cause) {
        this(message, Remedy.NONE, cause, false);
    }

    Failure(String message, Remedy remedy) {
        this(message, remedy, null, false);
    }

    Failure(String message, Remedy remedy, Throwable cause) {
        this(message, remedy, cause, false);
    }

    private Failure(String message, Remedy remedy, @Nullable Throwable cause, boolean saidByServer) {
        super(message, cause);
        this.remedy = remedy;
        this.saidByServer = saidByServer;
    }

    /** A server's error message, with parameter names of the HTTP API. */
    static Failure saidByServer(String message, Remedy remedy) {
        return new Failure(message, remedy, null, true);
    }

    boolean isSaidByServer() {
        return saidByServer;
    }

    Remedy remedy() {
        return remedy;
    }
}
