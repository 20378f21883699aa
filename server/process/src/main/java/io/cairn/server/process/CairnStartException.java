package io.cairn.server.process;

/** The server process failed to start; the message is the one-line cause. */
public final class CairnStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String output;

    CairnStartException(String message, String output) {
        super(message);
        this.output = output;
    }

    /** The last 64 KB of output of all starts. */
    public String output() {
        return output;
    }
}
