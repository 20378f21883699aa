package io.cairn.api.error;

/** The reason of a failure, independent of the protocol. Each edge has one table that maps it to a status. */
public enum ErrorCode {
    /** A parameter is missing, malformed or beyond a limit; the message names it. Retries do not help. */
    INVALID_PARAMETER,
    /** The requested object does not exist. */
    NOT_FOUND,
    /** The stored state is not the state that the caller expected. */
    CONFLICT,
    /** The limit of objects is reached; the message names the limit. Nothing was changed. */
    LIMIT_EXCEEDED,
    /** A queue is full; nothing was changed. Retry after a pause. */
    BUSY,
    /** Storage is unreachable or rejected the operation; nothing was acknowledged. */
    UNAVAILABLE,
    /** This node does not have the requested state yet. Retry after a pause, or on another node. */
    BEHIND,
    /** This server does not support the function. */
    UNSUPPORTED,
    /** A defect of the server; its log contains the details. */
    INTERNAL
}
