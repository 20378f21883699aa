package io.cairn.cli;

import org.jspecify.annotations.Nullable;

/** What a command could not do, in one line for whoever ran it. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What may help against a failure. */
    enum Remedy {
        /** Nothing but another command, setting or right. */
        NONE,
        /** Asking again later: the server is away, starting, stopping or busy. */
        PATIENCE,
        /** Logging in anew: the token has expired or was revoked. */
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

    /** A refusal in the words of the server, which names parameters of the HTTP API. */
    static Failure saidByServer(String message, Remedy remedy) {
        return new Failure(message, remedy, null, true);
    }

    /** Whether the message may name parameters of the HTTP API. */
    boolean isSaidByServer() {
        return saidByServer;
    }

    Remedy remedy() {
        return remedy;
    }
}
