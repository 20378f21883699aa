package io.cairn.api.wire;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The two gRPC methods that carry all messages. */
public final class WireMethods {

    public static final MethodDescriptor<Payload, Payload> REQUEST =
            method(MethodDescriptor.MethodType.UNARY, "Request/request");

    /** Pushes and their acknowledgements: {@code /BiRequestStream/requestBiStream}. */
    public static final MethodDescriptor<Payload, Payload> BI_STREAM =
            method(MethodDescriptor.MethodType.BIDI_STREAMING, "BiRequestStream/requestBiStream");

    private WireMethods() {}

    private static MethodDescriptor<Payload, Payload> method(MethodDescriptor.MethodType type, String fullName) {
        return MethodDescriptor.<Payload, Payload>newBuilder()
                .setType(type)
                .setFullMethodName(fullName)
                .setRequestMarshaller(PayloadMarshaller.INSTANCE)
                .setResponseMarshaller(PayloadMarshaller.INSTANCE)
                .build();
    }

    private enum PayloadMarshaller implements MethodDescriptor.Marshaller<Payload> {
        INSTANCE;

        @Override
        public InputStream stream(Payload payload) {
            return new EncodedStream(payload.encoded());
        }

        @Override
        public Payload parse(InputStream stream) {
            try {
                // The length of a compressed message is unknown before it is read.
                return Payload.read(
                        stream instanceof KnownLength ? stream.readNBytes(stream.available()) : stream.readAllBytes());
            } catch (IOException | StatusRuntimeException e) {
                // gRPC would log the exception as a local defect and not report the reason to the peer.
                return Payload.unreadable("message could not be read: " + e.getMessage());
            }
        }
    }

    /** Writes the shared bytes to the transport in one copy. */
    private static final class EncodedStream extends ByteArrayInputStream implements Drainable, KnownLength {

        EncodedStream(byte[] bytes) {
            super(bytes);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int written = count - pos;
            target.write(buf, pos, written);
            pos = count;
            return written;
        }
    }
}
