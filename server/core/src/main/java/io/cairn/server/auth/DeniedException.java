package io.cairn.server.auth;

/**
 * The caller lacks the right to one of several resources of its request; this is found only while the request is
 * handled. Nothing was changed. The edge answers it like any other denial.
 */
public final class DeniedException extends RuntimeException {

    /** @param resource the resource to which the right is missing; for the log, never for the caller */
    public DeniedException(String resource) {
        super(resource, null, false, false);
    }
}
