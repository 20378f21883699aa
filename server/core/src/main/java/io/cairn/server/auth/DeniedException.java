package io.cairn.server.auth;

/**
 * The caller lacks the right to one of several things that his request is about, which only shows when they are looked at.
 * Nothing was done. The edge answers it as any other denial.
 */
public final class DeniedException extends RuntimeException {

    /** @param resource what the right is missing for; for the log, never for the caller */
    public DeniedException(String resource) {
        super(resource, null, false, false);
    }
}
