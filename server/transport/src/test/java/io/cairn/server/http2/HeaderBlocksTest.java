package io.cairn.server.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HeaderBlocksTest {

    private static Http2Headers read(byte[] block) throws Exception {
        return new DefaultHttp2HeadersDecoder(true).decodeHeaders(1, Unpooled.wrappedBuffer(block));
    }

    @Test
    void headAndEndOfAnAnswerAreReadByAnotherImplementation() throws Exception {
        Http2Headers head = read(HeaderBlocks.HEAD);
        assertThat(head.status()).hasToString("200");
        assertThat(head.get("content-type")).hasToString("application/grpc");

        Http2Headers end = read(HeaderBlocks.OK);
        assertThat(end.size()).isOne();
        assertThat(end.get("grpc-status")).hasToString("0");
    }

    @Test
    void aFailureIsPercentEncoded() throws Exception {
        String why = "100 % größer\nals 日本 " + "x".repeat(300);

        Http2Headers read = read(HeaderBlocks.trailers(GrpcStatus.UNAVAILABLE, why));

        assertThat(read.get("grpc-status")).hasToString("14");
        String message = read.get("grpc-message").toString();
        assertThat(message)
                .startsWith("100 %25 gr%C3%B6%C3%9Fer%0Aals %E6%97%A5")
                .matches("[ -~]+");
        assertThat(URLDecoder.decode(message, StandardCharsets.UTF_8)).isEqualTo(why);
    }

    @Test
    void answersRequestsThatAreNotGrpcInHttp() throws Exception {
        Http2Headers read = read(HeaderBlocks.notGrpc(415, GrpcStatus.INTERNAL, "no"));

        assertThat(read.status()).hasToString("415");
        assertThat(read.get("content-type")).hasToString("text/plain; charset=utf-8");
        assertThat(read(HeaderBlocks.unknownEncoding("no")).get("grpc-accept-encoding"))
                .hasToString("gzip");
    }
}
