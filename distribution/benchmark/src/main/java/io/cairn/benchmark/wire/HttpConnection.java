package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One keep-alive HTTP/1.1 connection with one request at a time. A server may close it between requests (Tomcat does so
 * after a hundred): the next request opens it anew. Requests are sent from its event loop, where listeners are called.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the connection, which fails the request
public final class HttpConnection {
    private final Transport transport;
    private final InetSocketAddress address;
    private final EventLoop loop;
    private @Nullable Channel channel;
    private @Nullable Listener waiting;
    private int connects;

    public HttpConnection(Transport transport, InetSocketAddress address) {
        this.transport = transport;
        this.address = address;
        loop = transport.loops().next();
    }

    /** Hears the answer to one request. */
    public interface Listener {
        /** The body is readable only until this returns. */
        void answered(int status, ByteBuf body);

        void failed(String cause);
    }

    public EventLoop loop() {
        return loop;
    }

    /** How often it had to connect; 1 where keep-alive holds. Read it when no request is under way. */
    public int connects() {
        return connects;
    }

    /** Sends a whole request, header and body. At most one may be under way. */
    public void send(byte[] request, Listener listener) {
        String token = transport.token();
        byte[] sent = token == null ? request : withToken(request, token);
        if (loop.inEventLoop()) {
            sendOnLoop(sent, listener);
        } else {
            loop.execute(() -> sendOnLoop(sent, listener));
        }
    }

    private static byte[] withToken(byte[] request, String token) {
        int line = 0;
        while (request[line] != '\n') {
            line++;
        }
        byte[] header = ("Authorization: Bearer " + token + "\r\n").getBytes(US_ASCII);
        return ByteBuffer.allocate(request.length + header.length)
                .put(request, 0, line + 1)
                .put(header)
                .put(request, line + 1, request.length - line - 1)
                .array();
    }

    private void sendOnLoop(byte[] request, Listener listener) {
        waiting = listener;
        Channel open = channel;
        if (open != null && open.isActive()) {
            open.writeAndFlush(Unpooled.wrappedBuffer(request), open.voidPromise());
            return;
        }
        connects++;
        new Bootstrap()
                .group(loop)
                .channel(transport.channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5_000)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel ch) {
                        ch.pipeline().addLast(new Answers());
                    }
                })
                .connect(address)
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        channel = connected.channel();
                        connected.channel().writeAndFlush(Unpooled.wrappedBuffer(request));
                    } else {
                        fail("cannot connect to " + address + ": "
                                + connected.cause().getMessage());
                    }
                });
    }

    /** For what is not measured: the body of a 200 answer, or an exception with what came instead. */
    public CompletableFuture<String> ask(byte[] request) {
        var answer = new CompletableFuture<String>();
        send(request, new Listener() {
            @Override
            public void answered(int status, ByteBuf body) {
                String text = body.toString(UTF_8);
                if (status == 200) {
                    answer.complete(text);
                } else {
                    answer.completeExceptionally(new IllegalStateException("HTTP " + status + ": " + text.strip()));
                }
            }

            @Override
            public void failed(String cause) {
                answer.completeExceptionally(new IllegalStateException(cause));
            }
        });
        return answer.orTimeout(30, TimeUnit.SECONDS);
    }

    public CompletableFuture<Void> close() {
        var closed = new CompletableFuture<Void>();
        loop.execute(() -> {
            waiting = null;
            Channel open = channel;
            if (open == null) {
                closed.complete(null);
            } else {
                open.close().addListener(done -> closed.complete(null));
            }
        });
        return closed;
    }

    private void answer(int status, ByteBuf body) {
        Listener listener = waiting;
        waiting = null;
        if (listener != null) {
            listener.answered(status, body);
        }
    }

    private void fail(String cause) {
        Listener listener = waiting;
        waiting = null;
        if (listener != null) {
            listener.failed(cause);
        }
    }

    /** Reads answers with a Content-Length or in chunks; nothing else is expected of a keep-alive server. */
    private final class Answers extends ByteToMessageDecoder {
        private static final int UNKNOWN = -1;

        private boolean inBody;
        private int status;
        private int contentLength;
        private boolean chunked;
        private boolean close;
        private @Nullable ByteBuf chunks;

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            if (!inBody && !readHeader(in)) {
                return;
            }
            if (chunked) {
                readChunks(ctx, in);
            } else if (in.readableBytes() >= contentLength) {
                int start = in.readerIndex();
                in.skipBytes(contentLength);
                deliver(ctx, in.slice(start, contentLength));
            }
        }

        private boolean readHeader(ByteBuf in) {
            int end = endOfHeader(in);
            if (end < 0) {
                if (in.readableBytes() > 65_536) {
                    throw new IllegalStateException("no end of the answer's header within 64 KB");
                }
                return false;
            }
            int start = in.readerIndex();
            status = (in.getByte(start + 9) - '0') * 100
                    + (in.getByte(start + 10) - '0') * 10
                    + (in.getByte(start + 11) - '0');
            contentLength = UNKNOWN;
            chunked = false;
            close = false;
            int line = in.indexOf(start, end, (byte) '\n') + 1;
            while (line > 0 && line < end) {
                int next = in.indexOf(line, end, (byte) '\n');
                int stop = next < 0 ? end : next;
                byte first = in.getByte(line);
                if (first == 'c' || first == 'C' || first == 't' || first == 'T') {
                    readLine(in.toString(line, stop - line, US_ASCII));
                }
                line = next + 1;
            }
            if (contentLength == UNKNOWN && !chunked) {
                throw new IllegalStateException("answer " + status + " with neither Content-Length nor chunks");
            }
            in.readerIndex(end);
            inBody = true;
            return true;
        }

        private void readLine(String line) {
            int colon = line.indexOf(':');
            if (colon < 0) {
                return;
            }
            String value = line.substring(colon + 1).strip();
            switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
                case "content-length" -> contentLength = Integer.parseInt(value);
                case "transfer-encoding" ->
                    chunked = value.toLowerCase(Locale.ROOT).endsWith("chunked");
                case "connection" -> close = value.equalsIgnoreCase("close");
                default -> {}
            }
        }

        /** The index after the empty line, or -1. */
        private static int endOfHeader(ByteBuf in) {
            int end = in.writerIndex();
            for (int i = in.indexOf(in.readerIndex(), end, (byte) '\n'); i >= 0 && i + 2 < end; ) {
                if (in.getByte(i + 1) == '\r' && in.getByte(i + 2) == '\n') {
                    return i + 3;
                }
                i = in.indexOf(i + 1, end, (byte) '\n');
            }
            return -1;
        }

        private void readChunks(ChannelHandlerContext ctx, ByteBuf in) {
            if (chunks == null) {
                chunks = Unpooled.buffer(1024);
            }
            while (true) {
                int newline = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
                if (newline < 0) {
                    return;
                }
                int start = in.readerIndex();
                String size = in.toString(start, newline - start, US_ASCII);
                int semicolon = size.indexOf(';');
                int bytes = Integer.parseInt((semicolon < 0 ? size : size.substring(0, semicolon)).strip(), 16);
                if (in.writerIndex() < newline + 1 + bytes + 2) {
                    return;
                }
                chunks.writeBytes(in, newline + 1, bytes);
                in.readerIndex(newline + 1 + bytes + 2);
                if (bytes == 0) {
                    ByteBuf body = chunks;
                    chunks = null;
                    deliver(ctx, body);
                    return;
                }
            }
        }

        private void deliver(ChannelHandlerContext ctx, ByteBuf body) {
            inBody = false;
            if (close) {
                channel = null;
                ctx.close();
            }
            answer(status, body);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            super.channelInactive(ctx);
            if (channel == ctx.channel()) {
                channel = null;
                fail("connection closed by the server before it answered");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            fail("connection failed: " + cause);
            ctx.close();
        }
    }
}
