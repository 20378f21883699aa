package io.cairn.benchmark.bare;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * HTTP v1 for well-formed requests: get, publish and long poll of configs, and register, deregister, list and beat of
 * instances. A poll waits until a change, without a timeout; an instance stays without beats.
 */
@SuppressWarnings("FutureReturnValueIgnored") // an answer that cannot be written closes its connection
final class BareHttp extends ChannelInitializer<Channel> {
    private static final int LARGEST_REQUEST = 4 << 20;

    private final BareStore store;
    private final BareNaming naming;

    BareHttp(BareStore store, BareNaming naming) {
        this.store = store;
        this.naming = naming;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast(new ByteToMessageDecoder() {
            @Override
            protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
                // No method that is used here begins with "PR".
                if (in.readableBytes() >= 2) {
                    boolean http2 = in.getByte(in.readerIndex() + 1) == 'R';
                    ctx.pipeline().addLast(http2 ? http2() : http1());
                    ctx.pipeline().remove(this);
                }
            }
        });
    }

    private ChannelHandler[] http1() {
        return new ChannelHandler[] {
            new HttpServerCodec(), new OldClients(), new HttpObjectAggregator(LARGEST_REQUEST), new Requests()
        };
    }

    /** As in Netty's examples: one channel per stream, with HTTP/1.1 messages in it. */
    private ChannelHandler[] http2() {
        var streams = new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline()
                        .addLast(
                                new Http2StreamFrameToHttpObjectCodec(true),
                                new HttpObjectAggregator(LARGEST_REQUEST),
                                new Requests());
            }
        };
        return new ChannelHandler[] {Http2FrameCodecBuilder.forServer().build(), new Http2MultiplexHandler(streams)};
    }

    /** An HTTP/1.0 client such as ab waits for the connection to close unless the response has a keep-alive header. */
    private static final class OldClients extends ChannelDuplexHandler {
        private boolean old;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpRequest request) {
                old = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
            }
            ctx.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (old && message instanceof HttpResponse response) {
                response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
            }
            ctx.write(message, promise);
        }
    }

    private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            var uri = new QueryStringDecoder(request.uri());
            if (uri.path().startsWith("/nacos/v1/ns/instance")) {
                naming(ctx, request.method(), uri);
                return;
            }
            if (uri.path().endsWith("/auth/login")) {
                answer(ctx, HttpResponseStatus.OK, "{\"accessToken\":\"bare\"}".getBytes(UTF_8));
                return;
            }
            if (uri.parameters().containsKey("search")) {
                search(ctx, uri.parameters());
                return;
            }
            boolean post = request.method().equals(HttpMethod.POST);
            Map<String, List<String>> parameters = post
                    ? new QueryStringDecoder(request.content().toString(UTF_8), UTF_8, false).parameters()
                    : uri.parameters();
            String dataId = parameter(parameters, "dataId");
            if (uri.path().endsWith("/listener")) {
                listen(ctx, parameter(parameters, "Listening-Configs"));
            } else if (post) {
                store.publish(dataId, parameter(parameters, "content").replace("\n", "\\n"));
                answer(ctx, HttpResponseStatus.OK, "true".getBytes(UTF_8));
            } else {
                BareStore.Stored stored = store.find(dataId);
                if (stored == null) {
                    answer(ctx, HttpResponseStatus.NOT_FOUND, "config data not exist\n".getBytes(UTF_8));
                } else {
                    answer(ctx, HttpResponseStatus.OK, stored.content());
                }
            }
        }

        private void search(ChannelHandlerContext ctx, Map<String, List<String>> parameters) {
            int size = Integer.parseInt(parameter(parameters, "pageSize"));
            int page = Integer.parseInt(parameter(parameters, "pageNo"));
            String items = store.search(parameter(parameters, "dataId"), (page - 1) * size, size).stream()
                    .map(dataId -> "{\"dataId\":\"" + dataId + "\"}")
                    .collect(Collectors.joining(",", "{\"pageItems\":[", "]}"));
            answer(ctx, HttpResponseStatus.OK, items.getBytes(UTF_8));
        }

        private void naming(ChannelHandlerContext ctx, HttpMethod method, QueryStringDecoder uri) {
            String service = parameter(uri.parameters(), "serviceName");
            service = service.substring(service.indexOf("@@") + 2);
            String ip = parameter(uri.parameters(), "ip");
            String port = parameter(uri.parameters(), "port");
            String address = ip + ":" + port;
            if (uri.path().endsWith("/list")) {
                answer(ctx, HttpResponseStatus.OK, naming.bytes(service));
            } else if (uri.path().endsWith("/beat")) {
                int code = naming.isPublished(service, address) ? 10200 : 20404;
                String beat = "{\"clientBeatInterval\":5000,\"code\":" + code + ",\"lightBeatEnabled\":true}";
                answer(ctx, HttpResponseStatus.OK, beat.getBytes(UTF_8));
            } else {
                String instance = "{\"ip\":\"" + ip + "\",\"port\":" + port + ",\"metadata\":"
                        + parameter(uri.parameters(), "metadata") + "}";
                naming.publish(service, address, method.equals(HttpMethod.DELETE) ? List.of() : List.of(instance));
                answer(ctx, HttpResponseStatus.OK, "ok".getBytes(UTF_8));
            }
        }

        private static String parameter(Map<String, List<String>> parameters, String name) {
            return parameters.getOrDefault(name, List.of("")).get(0);
        }

        private void listen(ChannelHandlerContext ctx, String records) {
            var poll = new Poll(ctx);
            for (String listened : records.split("\u0001", -1)) {
                String[] fields = listened.split("\u0002", -1);
                if (fields.length >= 3 && store.listen(fields[0], fields[2], poll)) {
                    poll.changed(fields[0]);
                }
            }
            ctx.channel().closeFuture().addListener(closed -> store.forget(poll));
        }
    }

    private final class Poll implements BareStore.Listener {
        private final ChannelHandlerContext ctx;
        private final AtomicBoolean answered = new AtomicBoolean();

        Poll(ChannelHandlerContext ctx) {
            this.ctx = ctx;
        }

        @Override
        public void changed(String dataId) {
            if (answered.compareAndSet(false, true)) {
                store.forget(this);
                answer(ctx, HttpResponseStatus.OK, (dataId + "%02CAIRN_BENCHMARK%01\n").getBytes(UTF_8));
            }
        }
    }

    private static void answer(ChannelHandlerContext ctx, HttpResponseStatus status, byte[] body) {
        var response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain;charset=UTF-8")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        ctx.writeAndFlush(response);
    }
}
