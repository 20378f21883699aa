package io.cairn.api.wire;

/**
 * The numbers that stand in {@code errorCode} of a failed answer.
 *
 * <p>Source of the numbers: the Nacos gRPC protocol of 2.x and 3.x.
 */
public final class WireError {

    /** The server is starting or stopping; clients try another one. */
    public static final int SERVER_NOT_READY = 300;
    /** The asked-for configuration does not exist (the same number, in a query's answer). */
    public static final int CONFIG_NOT_FOUND = 300;
    /** A request before the connection was set up; it makes clients reconnect. */
    public static final int UNREGISTERED = 301;

    public static final int NO_HANDLER = 302;
    public static final int INVALID_PARAMETER = 400;
    public static final int NO_RIGHT = 403;
    public static final int NOT_FOUND = 404;
    public static final int SERVER_ERROR = 500;
    public static final int NOT_IMPLEMENTED = 501;
    public static final int MALFORMED = 502;
    public static final int OVER_THRESHOLD = 503;
    /** As many fuzzy patterns are watched as the server allows; this one is not. */
    public static final int TOO_MANY_PATTERNS = 50310;
    /** More names match a fuzzy pattern than are told; it is watched all the same. */
    public static final int TOO_MANY_MATCHES = 50311;

    /** {@code resultCode} of every success. */
    public static final int RESULT_OK = 200;
    /** {@code resultCode} of nearly every failure. */
    public static final int RESULT_FAILED = 500;

    private WireError() {}
}
