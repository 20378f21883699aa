package io.cairn.server.http2;

import io.cairn.api.wire.Payload;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.limit.Limit;
import io.cairn.server.testing.RawHttp2;
import io.cairn.server.testing.RawHttp2.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection without a network: what a client sends goes in as bytes, and what comes out is there as frames. */
final class Wire implements AutoCloseable {

    static final int MAX_MESSAGE = 100_000;
    static final int BUDGET_BYTES = 200_000;
    static final Limit HEAD_SECONDS = new Limit("head-seconds", "a setting", 1);

    private static final byte[] SETTINGS = RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[0]);

    final List<TestCall> calls = new ArrayList<>();
    /** The tasks of the pool that compresses. */
    final List<Runnable> pool = new ArrayList<>();

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false);
    private boolean held;
    private long nanos;
    private int delayedAcknowledgements;
    private int promptAcknowledgements;
    private boolean refusesOptions;
    private final EmbeddedChannel channel = new EmbeddedChannel(false, false) {
        private final ChannelConfig config = new DefaultChannelConfig(this) {
            @Override
            public <T> boolean setOption(ChannelOption<T> option, T value) {
                if (option.equals(EpollChannelOption.TCP_QUICKACK)) {
                    if (value.equals(false)) {
                        delayedAcknowledgements++;
                    } else {
                        promptAcknowledgements++;
                    }
                    if (refusesOptions) {
                        throw new ChannelException("as intended by the test");
                    }
                }
                return super.setOption(option, value);
            }
        };

        @Override
        public ChannelConfig config() {
            return config;
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer in) throws Exception {
            if (!held) {
                super.doWrite(in);
            }
        }
    };
    /** The memory for requests that are not complete. */
    final MemoryBudget budget = new MemoryBudget(BUDGET_BYTES, 1);

    /** Whether calls keep their messages until the client has ended them. */
    boolean callsAwaitHalfClose;

    private final Http2Connection connection = new Http2Connection(
            new Http2Connection.Limits(
                    new Limit("message-bytes", "a setting", MAX_MESSAGE),
                    4,
                    10_000,
                    300_000,
                    20_000,
                    HEAD_SECONDS,
                    budget),
            Map.of(AsciiString.of("/Test/call"), TestCall::new),
            new SharedCompression(pool::add),
            () -> nanos);
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(true);

    /** Records the events of a call. */
    final class TestCall implements Call.Listener {

        final Call call;
        final List<Payload> messages = new ArrayList<>();
        final List<String> events = new ArrayList<>();

        TestCall(Call call) {
            this.call = call;
            calls.add(this);
        }

        @Override
        public void onMessage(byte[] message) {
            messages.add(Payload.read(message));
        }

        @Override
        public void onUnreadable(String why) {
            messages.add(Payload.unreadable(why));
        }

        @Override
        public boolean awaitsHalfClose() {
            return callsAwaitHalfClose;
        }

        @Override
        public void onHalfClose() {
            events.add("half-closed");
        }

        @Override
        public void onCancel() {
            events.add("cancelled");
        }

        @Override
        public void onComplete() {
            events.add("complete");
        }

        @Override
        public void onReady() {
            events.add("ready");
        }
    }

    Wire() throws Exception {
        channel.config().setAllocator(memory);
        channel.pipeline().addLast(connection);
        channel.register();
    }

    /** A connection that has been greeted on both sides. */
    static Wire started() throws Exception {
        Wire wire = new Wire();
        wire.send(RawHttp2.preface(), SETTINGS);
        wire.frames();
        return wire;
    }

    EmbeddedChannel channel() {
        return channel;
    }

    Http2Connection connection() {
        return connection;
    }

    /** Time passes, as the connection sees it. */
    void pass(Duration time) {
        nanos += time.toNanos();
    }

    /** How often the system was asked to wait with the acknowledgement of what it receives. */
    int delayedAcknowledgements() {
        return delayedAcknowledgements;
    }

    /** How often the system was asked to acknowledge at once what it has received. */
    int promptAcknowledgements() {
        return promptAcknowledgements;
    }

    /** From now on the socket takes no option. */
    void refuseOptions() {
        refusesOptions = true;
    }

    /** Whether the network takes nothing. */
    void holdOutbound(boolean isHeld) {
        held = isHeld;
    }

    /** Has the server read it at once. */
    Wire send(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        if (channel.isOpen()) {
            channel.writeInbound(memory.buffer(Math.max(1, all.size())).writeBytes(all.toByteArray()));
            channel.runPendingTasks();
        }
        return this;
    }

    static byte[] open(int stream) {
        return RawHttp2.open(stream, "/Test/call");
    }

    static byte[] data(int stream, int flags, byte[] bytes) {
        return RawHttp2.frame(RawHttp2.DATA, flags, stream, bytes);
    }

    static byte[] message(String text) {
        return RawHttp2.message(payload(text).encoded());
    }

    static Payload payload(String text) {
        return Payload.of("Test", text.getBytes(StandardCharsets.UTF_8));
    }

    /** The frames that the server has sent since the last look. */
    List<Frame> frames() {
        channel.runPendingTasks();
        if (channel.isOpen()) {
            channel.flushOutbound();
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            byte[] bytes = new byte[out.readableBytes()];
            out.readBytes(bytes);
            out.release();
            all.writeBytes(bytes);
        }
        List<Frame> frames = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(all.toByteArray());
        while (in.hasRemaining()) {
            int length = (in.get() & 0xff) << 16 | in.getShort() & 0xffff;
            int type = in.get();
            int flags = in.get();
            int stream = in.getInt();
            byte[] payload = new byte[length];
            in.get(payload);
            frames.add(new Frame(type, flags, stream, payload));
        }
        return frames;
    }

    /** The only frame of that type that the server has sent since, or null. */
    @Nullable
    Frame only(int type) {
        List<Frame> those =
                frames().stream().filter(frame -> frame.type() == type).toList();
        if (those.size() > 1) {
            throw new AssertionError(those.size() + " frames of type " + type);
        }
        return those.isEmpty() ? null : those.get(0);
    }

    Http2Headers headers(Frame frame) {
        try {
            return decoder.decodeHeaders(frame.stream(), Unpooled.wrappedBuffer(frame.payload()));
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    static int number(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }

    /** Closes it; fails when a buffer was not given back. */
    @Override
    public void close() {
        channel.close();
        channel.runPendingTasks();
        channel.finishAndReleaseAll();
        long left = memory.metric().usedHeapMemory() + memory.metric().usedDirectMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes of buffers are left");
        }
        if (budget.reservedBytes() != 0) {
            throw new AssertionError(budget.reservedBytes() + " bytes of the budget are not given back");
        }
    }
}
