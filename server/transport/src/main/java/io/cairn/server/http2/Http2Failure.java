package io.cairn.server.http2;

/** A violation of RFC 9113 that ends the connection. Without a stack trace, because a peer causes it. */
final class Http2Failure extends Exception {

    static final int NO_ERROR = 0;
    static final int PROTOCOL_ERROR = 1;
    static final int INTERNAL_ERROR = 2;
    static final int FLOW_CONTROL_ERROR = 3;
    static final int STREAM_CLOSED = 5;
    static final int FRAME_SIZE_ERROR = 6;
    static final int REFUSED_STREAM = 7;
    static final int CANCEL = 8;
    static final int COMPRESSION_ERROR = 9;
    static final int ENHANCE_YOUR_CALM = 11;

    private static final long serialVersionUID = 1L;

    private final int code;

    /** @param code of RFC 9113, section 7 */
    Http2Failure(int code, String what) {
        super(what, null, false, false);
        this.code = code;
    }

    int code() {
        return code;
    }

    String what() {
        return String.valueOf(getMessage());
    }
}
