package io.cairn.server.auth;

/**
 * The caller lacks the right to a resource, found while the request is handled. Nothing was changed. The edge answers as for any
 * denial.
 */
public final class DeniedException extends RuntimeException {

    /** @param resource for the log, never for the caller */
    public DeniedException(String resource) {
        super(resource, null, false, false);
    }
}
