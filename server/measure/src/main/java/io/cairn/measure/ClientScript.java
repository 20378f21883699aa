package io.cairn.measure;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.api.wire.config.ConfigBatchListenRequest.Listened;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

/** The bytes that an SDK's connection begins with, over HTTP/2: the same for each connection. */
final class ClientScript {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int ACK = 1;
    private static final int MOST_IN_FRAME = 16_384;

    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final byte[] setUp;
    private final byte[] listen;

    ClientScript(int listens) {
        ByteBuf bytes = Unpooled.buffer();
        bytes.writeBytes(Http2CodecUtil.connectionPrefaceBuf());
        frame(bytes, SETTINGS, 0, 0, Unpooled.EMPTY_BUFFER);
        frame(bytes, SETTINGS, ACK, 0, Unpooled.EMPTY_BUFFER);
        call(bytes, 1, "/Request/request", json(MessageCatalog.SERVER_CHECK_REQUEST, "{\"headers\":{}}"), true);
        call(
                bytes,
                3,
                "/BiRequestStream/requestBiStream",
                json(
                        MessageCatalog.CONNECTION_SETUP_REQUEST,
                        "{\"headers\":{},\"clientVersion\":\"Nacos-Java-Client:v2.4.2\",\"labels\":{\"source\":\"sdk\","
                                + "\"module\":\"config\",\"AppName\":\"unknown\"},\"module\":\"internal\"}"),
                false);
        setUp = ByteBufUtil.getBytes(bytes);

        var request = new ConfigBatchListenRequest(
                true,
                IntStream.range(0, listens)
                        .mapToObj(i -> new Listened("DEFAULT_GROUP", "measured-" + i + ".yaml", "", ""))
                        .toList());
        bytes = Unpooled.buffer();
        call(
                bytes,
                5,
                "/Request/request",
                Payload.of(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request.toJson()),
                true);
        listen = ByteBufUtil.getBytes(bytes);
    }

    byte[] setUp() {
        return setUp;
    }

    byte[] listen() {
        return listen;
    }

    private static Payload json(String type, String json) {
        return Payload.of(type, json.getBytes(StandardCharsets.UTF_8));
    }

    private void call(ByteBuf out, int stream, String path, Payload message, boolean last) {
        Http2Headers head = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .path(path)
                .authority("127.0.0.1:9848")
                .add("content-type", "application/grpc")
                .add("te", "trailers")
                .add("user-agent", "grpc-java-netty/1.57.2")
                .add("grpc-accept-encoding", "gzip");
        ByteBuf block = Unpooled.buffer();
        try {
            encoder.encodeHeaders(stream, head, block);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
        frame(out, HEADERS, END_HEADERS, stream, block);
        byte[] body = Encoded.bytes(message);
        ByteBuf data = Unpooled.buffer().writeByte(0).writeInt(body.length).writeBytes(body);
        while (data.isReadable()) {
            ByteBuf part = data.readSlice(Math.min(MOST_IN_FRAME, data.readableBytes()));
            frame(out, DATA, last && !data.isReadable() ? END_STREAM : 0, stream, part);
        }
    }

    private static void frame(ByteBuf out, int type, int flags, int stream, ByteBuf payload) {
        out.writeMedium(payload.readableBytes())
                .writeByte(type)
                .writeByte(flags)
                .writeInt(stream)
                .writeBytes(payload, payload.readerIndex(), payload.readableBytes());
    }
}
