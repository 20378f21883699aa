package io.cairn.server.naming.health;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The messages of {@code grpc.health.v1.Health/Check}: {@code string service = 1}, {@code enum status = 1}. */
final class HealthMessages {

    static final MethodDescriptor.Marshaller<Request> REQUEST = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(Request value) {
            return new ByteArrayInputStream(encode(value));
        }

        @Override
        public Request parse(InputStream stream) {
            throw new UnsupportedOperationException("requests are only sent");
        }
    };

    static final MethodDescriptor.Marshaller<ServingStatus> RESPONSE = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(ServingStatus value) {
            throw new UnsupportedOperationException("answers are only received");
        }

        @Override
        public ServingStatus parse(InputStream stream) {
            try {
                return decode(stream.readAllBytes());
            } catch (IOException e) {
                throw unreadable().withCause(e).asRuntimeException();
            }
        }
    };

    private static final int SERVICE = 1 << 3 | 2;
    private static final int STATUS = 1 << 3;

    private HealthMessages() {}

    /** @param service empty for the whole server */
    record Request(String service) {}

    /** In numeric order. */
    enum ServingStatus {
        UNKNOWN,
        SERVING,
        NOT_SERVING,
        SERVICE_UNKNOWN
    }

    static byte[] encode(Request request) {
        byte[] service = request.service().getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(service.length + 6);
        if (service.length > 0) {
            out.write(SERVICE);
            int length = service.length;
            for (; length > 0x7F; length >>>= 7) {
                out.write(length & 0x7F | 0x80);
            }
            out.write(length);
            out.writeBytes(service);
        }
        return out.toByteArray();
    }

    /** Ignores later versions' fields and values. */
    static ServingStatus decode(byte[] message) {
        Reader in = new Reader(message);
        ServingStatus status = ServingStatus.UNKNOWN;
        while (in.hasMore()) {
            long tag = in.varint();
            if (tag == STATUS) {
                long number = in.varint();
                ServingStatus[] known = ServingStatus.values();
                status = number >= 0 && number < known.length ? known[(int) number] : ServingStatus.UNKNOWN;
            } else {
                in.skip((int) tag & 7);
            }
        }
        return status;
    }

    private static Status unreadable() {
        return Status.INTERNAL.withDescription("an answer that is no HealthCheckResponse");
    }

    private static final class Reader {

        private final byte[] bytes;
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasMore() {
            return at < bytes.length;
        }

        long varint() {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                if (!hasMore()) {
                    break;
                }
                byte next = bytes[at++];
                value |= (long) (next & 0x7F) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw unreadable().asRuntimeException();
        }

        void skip(int wireType) {
            long length =
                    switch (wireType) {
                        case 0 -> {
                            varint();
                            yield 0;
                        }
                        case 1 -> 8;
                        case 2 -> varint();
                        case 5 -> 4;
                        default -> -1;
                    };
            if (length < 0 || length > bytes.length - at) {
                throw unreadable().asRuntimeException();
            }
            at += (int) length;
        }
    }
}
