package io.cairn.api.error;

/**
 * The reason why an operation failed, independent of the protocol. Each edge has one table that maps it to a status.
 */
public enum ErrorCode {
    /** A parameter is missing, malformed or beyond a limit; the message names it. A retry fails in the same way. */
    INVALID_PARAMETER,
    /** The requested object does not exist. */
    NOT_FOUND,
    /** The stored state is not what the caller expected. */
    CONFLICT,
    /** The allowed number of objects is reached; the message names the limit. Nothing was changed. */
    LIMIT_EXCEEDED,
    /** A queue is full; nothing was changed. Retry after a pause. */
    BUSY,
    /** Storage cannot be reached or refused the work; nothing was acknowledged. */
    UNAVAILABLE,
    /** This node does not have the requested state yet. Retry after a pause, or ask another node. */
    BEHIND,
    /** This server does not offer the function. */
    UNSUPPORTED,
    /** A defect of the server; its log has the details. */
    INTERNAL
}
