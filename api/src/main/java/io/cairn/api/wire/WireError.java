package io.cairn.api.wire;

/** The values of {@code errorCode} in the Nacos gRPC protocol of 2.x and 3.x. */
public final class WireError {

    /** The server is starting or stopping; clients try another server. */
    public static final int SERVER_NOT_READY = 300;
    /** The configuration does not exist; the same number, in the response to a query. */
    public static final int CONFIG_NOT_FOUND = 300;
    /** The connection is not set up; clients reconnect. */
    public static final int UNREGISTERED = 301;

    public static final int NO_HANDLER = 302;
    public static final int INVALID_PARAMETER = 400;
    public static final int NO_RIGHT = 403;
    public static final int NOT_FOUND = 404;
    public static final int SERVER_ERROR = 500;
    public static final int NOT_IMPLEMENTED = 501;
    public static final int MALFORMED = 502;
    public static final int OVER_THRESHOLD = 503;
    /** The server's limit of fuzzy patterns is reached; this pattern is not watched. */
    public static final int TOO_MANY_PATTERNS = 50310;
    /** More names match a fuzzy pattern than the server sends; the pattern is watched. */
    public static final int TOO_MANY_MATCHES = 50311;

    /** The {@code resultCode} of a success. */
    public static final int RESULT_OK = 200;
    /** The {@code resultCode} of nearly every failure. */
    public static final int RESULT_FAILED = 500;

    private WireError() {}
}
