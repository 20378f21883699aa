package io.cairn.server.naming.health;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Checks the status of a GET. The response must be complete in time, so that a server that hangs inside it fails. Reads only the
 * first {@value #MAX_ANSWER_BYTES} bytes, and follows no redirects.
 */
final class HttpProbe {

    /** For the whole check. */
    static final int ANSWER_MILLIS = 2_000;

    /** Headers included. */
    static final int MAX_ANSWER_BYTES = 64 * 1024;

    private static final int MAX_LINE = 4 * 1024;
    private static final int MAX_HEAD = 16 * 1024;
    private static final int MAX_CHUNK = 8 * 1024;
    private static final int NO_STATUS = -1;

    private final ClientSockets sockets;

    HttpProbe(ClientSockets sockets) {
        this.sockets = sockets;
    }

    CompletableFuture<ProbeResult> check(Target target, HealthCheck.Http check) {
        Exchange exchange = new Exchange(target, check);
        sockets.connect(target, exchange::fill).addListener((ChannelFuture connected) -> {
            if (!connected.isSuccess()) {
                exchange.result.complete(ClientSockets.notConnected(connected.cause()));
            }
        });
        return exchange.result;
    }

    static ProbeResult evaluate(int status, int expected) {
        if (status == expected) {
            return ProbeResult.passed("status " + status);
        }
        String reason = "status " + status + " (expected: " + expected + ')';
        return status == HttpResponseStatus.FOUND.code() || status == HttpResponseStatus.SERVICE_UNAVAILABLE.code()
                ? ProbeResult.failed(reason)
                : ProbeResult.down(reason);
    }

    /** On the connection's event loop. */
    private static final class Exchange extends SimpleChannelInboundHandler<HttpObject> {

        private final Target target;
        private final HealthCheck.Http check;
        private final CompletableFuture<ProbeResult> result = new CompletableFuture<>();
        private int status = NO_STATUS;
        private int readBytes;

        Exchange(Target target, HealthCheck.Http check) {
            this.target = target;
            this.check = check;
        }

        void fill(Channel channel) {
            channel.pipeline()
                    .addLast(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            readBytes += ((ByteBuf) message).readableBytes();
                            context.fireChannelRead(message);
                            if (readBytes > MAX_ANSWER_BYTES) {
                                end(
                                        context.channel(),
                                        verdict("more than " + MAX_ANSWER_BYTES + " bytes of no answer"));
                            }
                        }
                    })
                    .addLast(new HttpClientCodec(MAX_LINE, MAX_HEAD, MAX_CHUNK))
                    .addLast(this);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Channel channel = context.channel();
            var limit = context.executor()
                    .schedule(
                            () -> end(
                                    channel, ProbeResult.failed("no complete answer within " + ANSWER_MILLIS + " ms")),
                            ANSWER_MILLIS,
                            TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> limit.cancel(false));
            context.writeAndFlush(request()).addListener(written -> {
                if (!written.isSuccess()) {
                    end(
                            channel,
                            ProbeResult.failed("the request was not taken: "
                                    + written.cause().getMessage()));
                }
            });
        }

        private FullHttpRequest request() {
            FullHttpRequest request =
                    new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, check.requestTarget());
            request.headers()
                    .set(HttpHeaderNames.HOST, target.authority())
                    .set(HttpHeaderNames.USER_AGENT, "Cairn-Health-Check")
                    .set(HttpHeaderNames.ACCEPT, "*/*");
            // May replace the headers above: a cluster's settings may name a virtual host.
            check.headerFields().forEach(header -> request.headers().set(header.name(), header.value()));
            request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            return request;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
            if (message.decoderResult().isFailure()) {
                end(context.channel(), ProbeResult.failed("the answer is no HTTP"));
                return;
            }
            if (message instanceof HttpResponse response) {
                int code = response.status().code();
                boolean preliminary = response.status().codeClass() == HttpStatusClass.INFORMATIONAL
                        && code != HttpResponseStatus.SWITCHING_PROTOCOLS.code();
                status = preliminary ? NO_STATUS : code;
            }
            if (message instanceof LastHttpContent && status != NO_STATUS) {
                end(context.channel(), verdict(""));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end(context.channel(), ProbeResult.failed("hung up before the end of its answer"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(context.channel(), ProbeResult.failed("connection lost: " + cause.getMessage()));
        }

        private ProbeResult verdict(String withoutStatus) {
            return status == NO_STATUS
                    ? ProbeResult.failed(withoutStatus)
                    : evaluate(status, check.expectedResponseCode());
        }

        /** Only the first result has an effect. */
        private void end(Channel channel, ProbeResult verdict) {
            // First, so that no connection is open when the result is delivered.
            channel.close();
            result.complete(verdict);
        }
    }
}
