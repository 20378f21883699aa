package io.cairn.api.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class WireMethodsTest {

    private static final Payload PAYLOAD = Payload.of("T", "10.0.0.9", Map.of("a", "1"), new byte[] {'{', '}'});

    @Test
    void theMethodsHaveTheNamesThatClientsCall() {
        assertThat(WireMethods.REQUEST.getFullMethodName()).isEqualTo("Request/request");
        assertThat(WireMethods.REQUEST.getType()).isEqualTo(MethodDescriptor.MethodType.UNARY);
        assertThat(WireMethods.BI_STREAM.getFullMethodName()).isEqualTo("BiRequestStream/requestBiStream");
        assertThat(WireMethods.BI_STREAM.getType()).isEqualTo(MethodDescriptor.MethodType.BIDI_STREAMING);
    }

    @Test
    void aPayloadGoesOutAsItsOwnBytesWithAKnownLength() throws IOException {
        InputStream stream = WireMethods.REQUEST.streamRequest(PAYLOAD);
        assertThat(stream).isInstanceOf(KnownLength.class);
        assertThat(stream.available()).isEqualTo(PAYLOAD.encodedLength());

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(((Drainable) stream).drainTo(out)).isEqualTo(PAYLOAD.encodedLength());

        assertThat(out.toByteArray()).isEqualTo(PAYLOAD.encoded());
        assertThat(stream.available()).isZero();
        // Many receivers share one payload: the next one gets it whole.
        assertThat(WireMethods.REQUEST.streamRequest(PAYLOAD).readAllBytes()).isEqualTo(PAYLOAD.encoded());
    }

    @Test
    void readsAMessageOrMarksItAsMalformed() {
        assertThat(WireMethods.REQUEST
                        .parseRequest(new ByteArrayInputStream(PAYLOAD.encoded()))
                        .type())
                .isEqualTo("T");
        assertThat(WireMethods.REQUEST
                        .parseRequest(new ByteArrayInputStream(new byte[] {0x12, 0x7f}))
                        .malformation())
                .isNotNull();
        assertThat(WireMethods.REQUEST
                        .parseRequest(new ByteArrayInputStream(new byte[0]))
                        .malformation())
                .isNull();
    }

    @Test
    void aStreamThatDoesNotKnowItsLengthIsReadToItsEnd() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(PAYLOAD.encoded());
        }
        InputStream stream = new GZIPInputStream(new ByteArrayInputStream(compressed.toByteArray()));

        assertThat(WireMethods.REQUEST.parseRequest(stream).header("a")).isEqualTo("1");
    }

    @Test
    void aStreamThatCannotBeReadIsMarkedAsMalformed() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new ZipException("not in GZIP format");
            }
        };
        InputStream tooLarge = new InputStream() {
            @Override
            public int read() {
                throw Status.RESOURCE_EXHAUSTED.withDescription("too large").asRuntimeException();
            }
        };

        assertThat(WireMethods.REQUEST.parseRequest(broken).malformation()).contains("not in GZIP format");
        assertThat(WireMethods.REQUEST.parseRequest(tooLarge).malformation()).contains("too large");
    }
}
