package io.cairn.cli;

/** What a command could not do, in one line for whoever ran it. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Failure(String message) {
        super(message);
    }

    Failure(String message, Throwable cause) {
        super(message, cause);
    }
}
