package io.cairn.server.http2;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The header blocks of responses. They use no dynamic table (RFC 7541), so they are encoded once for all connections. */
final class HeaderBlocks {

    static final byte[] HEAD =
            new Block().status(200).contentType("application/grpc").bytes();

    /** The head of a response whose messages may be compressed. */
    static final byte[] HEAD_WITH_GZIP = new Block()
            .status(200)
            .contentType("application/grpc")
            .field("grpc-encoding", "gzip")
            .bytes();

    /** The trailers of a successful call. */
    static final byte[] OK = new Block().field("grpc-status", "0").bytes();

    private static final int STATIC_STATUS = 8;
    private static final int STATIC_CONTENT_TYPE = 31;

    private HeaderBlocks() {}

    /** The trailers of a call after {@link #HEAD}. */
    static byte[] trailers(GrpcStatus status, @Nullable String why) {
        return status == GrpcStatus.OK && why == null
                ? OK
                : new Block().grpc(status, why).bytes();
    }

    /** The only headers of a call without a response. */
    static byte[] trailersOnly(GrpcStatus status, @Nullable String why) {
        return new Block()
                .status(200)
                .contentType("application/grpc")
                .grpc(status, why)
                .bytes();
    }

    /** The only headers of a call with an unknown encoding. */
    static byte[] unknownEncoding(String why) {
        return new Block()
                .status(200)
                .contentType("application/grpc")
                .field("grpc-accept-encoding", "gzip")
                .grpc(GrpcStatus.UNIMPLEMENTED, why)
                .bytes();
    }

    /** The response to a request that is not gRPC. */
    static byte[] notGrpc(int httpStatus, GrpcStatus status, String why) {
        return new Block()
                .status(httpStatus)
                .contentType("text/plain; charset=utf-8")
                .grpc(status, why)
                .bytes();
    }

    /** Percent-encoding of the gRPC specification: all bytes of UTF-8 except printable ASCII without the percent sign. */
    static String percentEncoded(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b >= ' ' && b <= '~' && b != '%') {
                out.append((char) b);
            } else {
                out.append('%')
                        .append(Character.toUpperCase(Character.forDigit(b >> 4 & 0xf, 16)))
                        .append(Character.toUpperCase(Character.forDigit(b & 0xf, 16)));
            }
        }
        return out.toString();
    }

    private static final class Block {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

        Block status(int status) {
            if (status == 200) {
                out.write(0x80 | STATIC_STATUS);
                return this;
            }
            number(0, 4, STATIC_STATUS);
            return text(Integer.toString(status));
        }

        Block contentType(String type) {
            number(0, 4, STATIC_CONTENT_TYPE);
            return text(type);
        }

        Block grpc(GrpcStatus status, @Nullable String why) {
            field("grpc-status", Integer.toString(status.code()));
            return why == null ? this : field("grpc-message", percentEncoded(why));
        }

        /** A literal without indexing (RFC 7541, section 6.2.2). */
        Block field(String name, String value) {
            out.write(0);
            return text(name).text(value);
        }

        private Block text(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            number(0, 7, bytes.length);
            out.writeBytes(bytes);
            return this;
        }

        /** RFC 7541, section 5.1. */
        private void number(int pattern, int prefixBits, int value) {
            int full = (1 << prefixBits) - 1;
            if (value < full) {
                out.write(pattern | value);
                return;
            }
            out.write(pattern | full);
            int left = value - full;
            while (left >= 0x80) {
                out.write(left & 0x7f | 0x80);
                left >>>= 7;
            }
            out.write(left);
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }
}
