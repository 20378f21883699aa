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
 * Sends one GET and looks at the status. The answer has to be complete in time, so that a server which hangs in the middle
 * of it does not pass; of one that is longer than {@value #MAX_ANSWER_BYTES} bytes the rest is not read. Redirects are not
 * followed.
 */
final class HttpProbe {

    /** How long the target may take in all. */
    static final int ANSWER_MILLIS = 2_000;

    /** Read of an answer, its head included. */
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

    /** What a status means. */
    static ProbeResult judge(int status, int expected) {
        if (status == expected) {
            return ProbeResult.passed("status " + status);
        }
        String reason = "status " + status + " (expected: " + expected + ')';
        return status == HttpResponseStatus.FOUND.code() || status == HttpResponseStatus.SERVICE_UNAVAILABLE.code()
                ? ProbeResult.failed(reason)
                : ProbeResult.down(reason);
    }

    /** One request with its answer; used on the connection's event loop. */
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
            // Also in place of those above: a virtual host is a matter of the cluster's settings.
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
                    : judge(status, check.expectedResponseCode());
        }

        /** The first word counts. */
        private void end(Channel channel, ProbeResult verdict) {
            // Closed first, so that nothing is open any more when somebody hears the result.
            channel.close();
            result.complete(verdict);
        }
    }
}
