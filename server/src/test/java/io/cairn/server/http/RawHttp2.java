package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.CairnServer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** One HTTP/2 connection to the HTTP port, opened without asking, on which each frame is the test's own. */
final class RawHttp2 implements Closeable {

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<Http2FrameStream, Call> calls = new ConcurrentHashMap<>();
    private final CompletableFuture<Http2Settings> settings = new CompletableFuture<>();
    private final CompletableFuture<Long> goneAway = new CompletableFuture<>();
    private final Channel channel;
    private final Frames frames = new Frames();

    /** Status, headers in lower case, and body. */
    record Answer(int status, Http2Headers headers, String text) {

        String header(String name) {
            CharSequence value = headers.get(name);
            return value == null ? null : value.toString();
        }
    }

    /** One request under way. */
    final class Call {

        private final Http2FrameStream stream;
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private final CompletableFuture<Http2Headers> head = new CompletableFuture<>();
        private final CompletableFuture<Http2Headers> informed = new CompletableFuture<>();
        private final CompletableFuture<Long> reset = new CompletableFuture<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();

        private Call(Http2FrameStream stream) {
            this.stream = stream;
        }

        Call data(byte[] bytes, boolean last) {
            channel.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes), last).stream(stream));
            return this;
        }

        /** Ends the request by headers instead of data, unless the server has ended it already. */
        Call trailers() {
            channel.eventLoop().execute(() -> {
                if (stream.state().localSideOpen()) {
                    channel.writeAndFlush(
                            new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().set("x", "y"), true).stream(stream));
                }
            });
            return this;
        }

        void cancel() {
            channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream))
                    .syncUninterruptibly();
        }

        Answer answer() {
            return RawHttp2.await(answer);
        }

        /** Status and headers, when the body has not come yet. */
        Http2Headers head() {
            return RawHttp2.await(head);
        }

        /** Headers that come before those of the answer. */
        Http2Headers informed() {
            return RawHttp2.await(informed);
        }

        /** With which code the server ended it. */
        long reset() {
            return RawHttp2.await(reset);
        }

        boolean isAnswered() {
            return answer.isDone();
        }
    }

    RawHttp2(CairnServer server, Http2Settings initial) {
        Http2FrameCodec codec = Http2FrameCodecBuilder.forClient()
                .initialSettings(initial)
                .validateHeaders(false)
                .encoderIgnoreMaxHeaderListSize(true)
                .build();
        channel = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        opened.pipeline().addLast(codec, frames);
                    }
                })
                .connect("127.0.0.1", server.httpPort())
                .syncUninterruptibly()
                .channel();
    }

    static RawHttp2 connect(CairnServer server) {
        return new RawHttp2(server, Http2Settings.defaultSettings());
    }

    Http2Settings settings() {
        return await(settings);
    }

    /** The code with which the server ended the connection. */
    long goneAway() {
        return await(goneAway);
    }

    void awaitClosed() {
        await(CompletableFuture.runAsync(() -> channel.closeFuture().awaitUninterruptibly()));
    }

    Call get(String path, String... headers) {
        return open("GET", path, true, headers);
    }

    Call post(String path, String form, String... headers) {
        Call call = open("POST", path, false, headers);
        return call.data(form.getBytes(StandardCharsets.UTF_8), true);
    }

    /** Sends the head of a request; the type of the body is that of a form unless another one is given. */
    Call open(String method, String path, boolean last, String... headers) {
        Http2Headers head =
                new DefaultHttp2Headers(false).method(method).scheme("http").authority("cairn");
        if (path != null) {
            head.path(path);
        }
        if (!last) {
            head.set("content-type", "application/x-www-form-urlencoded");
        }
        for (int i = 0; i < headers.length; i += 2) {
            head.set(headers[i], headers[i + 1]);
        }
        Http2FrameStream stream = frames.newStream();
        Call call = new Call(stream);
        calls.put(stream, call);
        channel.writeAndFlush(new DefaultHttp2HeadersFrame(head, last).stream(stream));
        return call;
    }

    private final class Frames extends Http2ChannelDuplexHandler {

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            if (frame instanceof Http2SettingsFrame known) {
                settings.complete(known.settings());
            } else if (frame instanceof Http2GoAwayFrame known) {
                goneAway.complete(known.errorCode());
            } else if (frame instanceof Http2HeadersFrame known) {
                headers(calls.get(known.stream()), known);
            } else if (frame instanceof Http2DataFrame known) {
                data(context, calls.get(known.stream()), known);
            } else if (frame instanceof Http2ResetFrame known) {
                Call call = calls.get(known.stream());
                call.reset.complete(known.errorCode());
                call.answer.completeExceptionally(new IllegalStateException("reset: " + known.errorCode()));
            }
            ReferenceCountUtil.release(frame);
        }

        private void headers(Call call, Http2HeadersFrame frame) {
            if (frame.headers().status().toString().startsWith("1")) {
                call.informed.complete(frame.headers());
                return;
            }
            call.head.complete(frame.headers());
            if (frame.isEndStream()) {
                end(call);
            }
        }

        private void data(ChannelHandlerContext context, Call call, Http2DataFrame frame) {
            ByteBuf content = frame.content();
            byte[] bytes = new byte[content.readableBytes()];
            content.getBytes(content.readerIndex(), bytes);
            call.body.writeBytes(bytes);
            if (frame.isEndStream()) {
                end(call);
            } else {
                context.write(
                        new DefaultHttp2WindowUpdateFrame(frame.initialFlowControlledBytes()).stream(frame.stream()));
            }
        }

        private void end(Call call) {
            Http2Headers head = call.head.join();
            call.answer.complete(new Answer(
                    Integer.parseInt(head.status().toString()), head, call.body.toString(StandardCharsets.UTF_8)));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            IllegalStateException closed = new IllegalStateException("the connection is closed");
            calls.values().forEach(call -> call.answer.completeExceptionally(closed));
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
