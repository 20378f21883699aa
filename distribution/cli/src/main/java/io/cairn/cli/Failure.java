package io.cairn.cli;

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

    Failure(String message) {
        super(message);
        remedy = Remedy.NONE;
    }

    Failure(String message, Throwable cause) {
        super(message, cause);
        remedy = Remedy.NONE;
    }

    Failure(String message, Remedy remedy) {
        super(message);
        this.remedy = remedy;
    }

    Failure(String message, Remedy remedy, Throwable cause) {
        super(message, cause);
        this.remedy = remedy;
    }

    Remedy remedy() {
        return remedy;
    }
}
