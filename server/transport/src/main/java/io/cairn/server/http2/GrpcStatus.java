package io.cairn.server.http2;

/** The gRPC status codes of this server. */
public enum GrpcStatus {
    OK(0),
    UNKNOWN(2),
    INVALID_ARGUMENT(3),
    PERMISSION_DENIED(7),
    RESOURCE_EXHAUSTED(8),
    UNIMPLEMENTED(12),
    INTERNAL(13),
    UNAVAILABLE(14),
    UNAUTHENTICATED(16);

    private final int code;

    GrpcStatus(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
