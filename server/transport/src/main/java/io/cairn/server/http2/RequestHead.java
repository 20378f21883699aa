package io.cairn.server.http2;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading the head of a request (gRPC over HTTP/2, "Request-Headers"). Timeouts are the client's own business: it resets
 * the stream when it has waited long enough.
 *
 * @param handler of the method; null when the request is refused
 * @param gzip whether its messages may be compressed in this way
 * @param refusal the header block that it is refused with; null when it is not
 * @param takesGzip whether the client reads messages that are compressed in this way
 * @param userAgent how the client's gRPC library names itself; empty when it does not
 * @param credentials of the call, where its handler takes them
 * @param announcedBytes the length of all data that follow; negative when the head has no number of that kind
 */
record RequestHead(
        Call.@Nullable Handler handler,
        boolean gzip,
        byte @Nullable [] refusal,
        boolean takesGzip,
        String userAgent,
        Call.Credentials credentials,
        int announcedBytes) {

    /** Before the first request. */
    static final RequestHead NONE = refused(new byte[0]);

    /** Of a request whose headers are longer than we read. */
    static final RequestHead TOO_LONG = refused(HeaderBlocks.trailersOnly(
            GrpcStatus.RESOURCE_EXHAUSTED, "headers exceed " + HeadReader.MAX_LIST_BYTES + " bytes"));

    private static final AsciiString POST = AsciiString.cached("POST");
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
    private static final AsciiString GRPC = AsciiString.cached("application/grpc");
    private static final AsciiString ENCODING = AsciiString.cached("grpc-encoding");
    private static final AsciiString ACCEPTED = AsciiString.cached("grpc-accept-encoding");
    private static final AsciiString USER_AGENT = AsciiString.cached("user-agent");
    private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
    /** Names of headers are written in lower case in HTTP/2. */
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

    /** {@code application/grpc}, with what may follow: a format of messages, or parameters. */
    private static boolean isGrpc(CharSequence type) {
        int length = GRPC.length();
        return AsciiString.regionMatches(type, true, 0, GRPC, 0, length)
                && (type.length() == length || type.charAt(length) == '+' || type.charAt(length) == ';');
    }

    /** Whether a request has the pseudo-header fields that RFC 9113, section 8.3.1, demands. */
    static boolean isWellFormed(Http2Headers headers) {
        CharSequence path = headers.path();
        return headers.method() != null && headers.scheme() != null && path != null && !path.isEmpty();
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

    /** The client lists the names of what it understands, separated by commas. */
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
