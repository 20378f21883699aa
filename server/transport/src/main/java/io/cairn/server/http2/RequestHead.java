package io.cairn.server.http2;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The evaluated head of a request (gRPC over HTTP/2, "Request-Headers"). Timeouts are left to the client, which resets
 * the stream.
 *
 * @param handler null for a rejected request
 * @param gzip whether the messages may use gzip
 * @param refusal the header block of the rejection; null for an accepted request
 * @param takesGzip whether the client accepts gzip
 * @param announcedBytes the announced length of all data; negative when absent
 */
record RequestHead(
        Call.@Nullable Handler handler,
        boolean gzip,
        byte @Nullable [] refusal,
        boolean takesGzip,
        String userAgent,
        Call.Credentials credentials,
        int announcedBytes) {

    /** Stands for the head before the first request. */
    static final RequestHead NONE = refused(new byte[0]);

    /** The headers exceed the limit. */
    static final RequestHead TOO_LONG = refused(HeaderBlocks.trailersOnly(
            GrpcStatus.RESOURCE_EXHAUSTED, "headers exceed " + HeadReader.MAX_LIST_BYTES + " bytes"));

    /** The memory for the request is not available. */
    static final RequestHead NO_ROOM =
            refused(HeaderBlocks.trailersOnly(GrpcStatus.RESOURCE_EXHAUSTED, MessageMemory.NO_ROOM));

    private static final AsciiString POST = AsciiString.cached("POST");
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
    private static final AsciiString GRPC = AsciiString.cached("application/grpc");
    private static final AsciiString ENCODING = AsciiString.cached("grpc-encoding");
    private static final AsciiString ACCEPTED = AsciiString.cached("grpc-accept-encoding");
    private static final AsciiString USER_AGENT = AsciiString.cached("user-agent");
    private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
    /** HTTP/2 names are in lower case. */
    private static final AsciiString ACCESS_TOKEN = AsciiString.cached("accesstoken");

    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    private static final AsciiString IDENTITY = AsciiString.cached("identity");
    private static final AsciiString GZIP = AsciiString.cached("gzip");

    /** @param methods by their path */
    static RequestHead of(Http2Headers headers, Map<AsciiString, Call.Handler> methods) {
        CharSequence path = headers.path();
        if (path == null || path.isEmpty() || path.charAt(0) != '/') {
            return refused(HeaderBlocks.notGrpc(404, GrpcStatus.UNIMPLEMENTED, "Expected path to start with /"));
        }
        CharSequence type = headers.get(CONTENT_TYPE);
        if (type == null || !isGrpc(type)) {
            return refused(HeaderBlocks.notGrpc(
                    415,
                    GrpcStatus.INTERNAL,
                    type == null
                            ? "Content-Type is missing from the request"
                            : "Content-Type '" + type + "' is not supported"));
        }
        CharSequence method = headers.method();
        if (method == null || !AsciiString.contentEquals(method, POST)) {
            return refused(HeaderBlocks.notGrpc(405, GrpcStatus.INTERNAL, "Method '" + method + "' is not supported"));
        }
        Call.Handler handler = methods.get(AsciiString.of(path));
        if (handler == null) {
            return refused(HeaderBlocks.trailersOnly(
                    GrpcStatus.UNIMPLEMENTED, "Method not found: " + path.subSequence(1, path.length())));
        }
        CharSequence encoding = headers.get(ENCODING);
        boolean isGzip = encoding != null && AsciiString.contentEquals(encoding, GZIP);
        if (encoding != null && !isGzip && !AsciiString.contentEquals(encoding, IDENTITY)) {
            return refused(HeaderBlocks.unknownEncoding("Can't find decompressor for " + encoding));
        }
        return new RequestHead(
                handler,
                isGzip,
                null,
                takesGzip(headers),
                text(headers.get(USER_AGENT)),
                credentials(handler, headers),
                headers.getInt(CONTENT_LENGTH, -1));
    }

    /** Accepts {@code application/grpc} with a message format or parameters. */
    private static boolean isGrpc(CharSequence type) {
        int length = GRPC.length();
        return AsciiString.regionMatches(type, true, 0, GRPC, 0, length)
                && (type.length() == length || type.charAt(length) == '+' || type.charAt(length) == ';');
    }

    /** Whether the head has the pseudo-headers of RFC 9113, section 8.3.1. */
    static boolean isWellFormed(Http2Headers headers) {
        CharSequence path = headers.path();
        return headers.method() != null && headers.scheme() != null && path != null && !path.isEmpty();
    }

    /** The bytes of the head that a call keeps. */
    int keptBytes() {
        return userAgent.length()
                + credentials.authorization().length()
                + credentials.accessToken().length();
    }

    private static RequestHead refused(byte[] block) {
        return new RequestHead(null, false, block, false, "", Call.Credentials.NONE, -1);
    }

    private static Call.Credentials credentials(Call.Handler handler, Http2Headers headers) {
        if (!handler.takesCredentials()) {
            return Call.Credentials.NONE;
        }
        CharSequence authorization = headers.get(AUTHORIZATION);
        CharSequence token = headers.get(ACCESS_TOKEN);
        return authorization == null && token == null
                ? Call.Credentials.NONE
                : new Call.Credentials(text(authorization), text(token));
    }

    private static String text(@Nullable CharSequence value) {
        return value == null ? "" : value.toString();
    }

    /** The header lists the client's encodings, separated by commas. */
    private static boolean takesGzip(Http2Headers headers) {
        CharSequence accepted = headers.get(ACCEPTED);
        if (accepted == null) {
            return false;
        }
        for (String name : accepted.toString().split(",", -1)) {
            if (GZIP.contentEquals(name.strip())) {
                return true;
            }
        }
        return false;
    }
}
