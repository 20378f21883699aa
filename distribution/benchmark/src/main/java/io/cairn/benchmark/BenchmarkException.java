package io.cairn.benchmark;

/** Ends a run; the message is the one line that the user sees. */
final class BenchmarkException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BenchmarkException(String message) {
        super(message);
    }
}
