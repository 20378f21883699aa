package io.cairn.api.error;

/** Why an operation failed, independent of the protocol it came by; each edge has one table from here to its statuses. */
public enum ErrorCode {
    /** A parameter is missing, malformed or beyond a limit; the message names it. Retrying changes nothing. */
    INVALID_PARAMETER,
    /** What was asked for does not exist. */
    NOT_FOUND,
    /** The stored state is not what the caller expected. */
    CONFLICT,
    /** There are as many of something as allowed already; the message names the limit. Nothing was done. */
    LIMIT_EXCEEDED,
    /** A queue is full; nothing was done. Retry after a pause. */
    BUSY,
    /** Storage cannot be reached or refused the work; nothing was acknowledged. */
    UNAVAILABLE,
    /** This node does not show yet what the caller asks for. Retry after a pause, or ask another node. */
    BEHIND,
    /** This server does not offer the function. */
    UNSUPPORTED,
    /** A defect of the server; its log has the details. */
    INTERNAL
}
