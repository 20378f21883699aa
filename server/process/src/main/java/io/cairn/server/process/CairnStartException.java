package io.cairn.server.process;

/** The server process did not come up; the message is the one-line cause. */
public final class CairnStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String output;

    CairnStartException(String message, String output) {
        super(message);
        this.output = output;
    }

    /** The last 64 KB that the server printed, of all starts in its home. */
    public String output() {
        return output;
    }
}
