package io.cairn.server.http2;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.limit.Limit;
import io.cairn.server.testing.RawHttp2;
import io.cairn.server.testing.RawHttp2.Frame;
import io.cairn.server.testing.TestAuthority;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.AsciiString;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message to many clients is framed once, and each client gets all of it, however slowly it reads. Over real sockets. */
class SharedFrameIT {

    private static final int MESSAGE_BYTES = 15_000;
    private static final Limit LIMIT = new Limit("a-limit", "a setting", 1_000_000);

    private int messageBytes = MESSAGE_BYTES;
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final CountedMemory memory = new CountedMemory();
    private final EventLoops loops = new EventLoops(1);
    private @Nullable SslContext encryption;
    private Channel listening;

    /** Counts the buffers that a whole message would need. */
    private static final class CountedMemory extends AbstractByteBufAllocator {

        final AtomicInteger frames = new AtomicInteger();
        private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

        CountedMemory() {
            super(true);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (initialCapacity >= MESSAGE_BYTES && initialCapacity == maxCapacity) {
                frames.incrementAndGet();
            }
            return memory.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return memory.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }

        long usedBytes() {
            return memory.metric().usedDirectMemory();
        }
    }

    @BeforeEach
    void start() {
        Call.Handler handler = call -> {
            call.sendHeaders();
            calls.add(call);
            return new Call.Listener() {
                @Override
                public void onMessage(byte[] message) {}

                @Override
                public void onUnreadable(String why) {}

                @Override
                public void onHalfClose() {}

                @Override
                public void onCancel() {}
            };
        };
        Http2Connection.Limits limits = new Http2Connection.Limits(
                LIMIT, 4, 10_000, 300_000, 20_000, new Limit("a-limit", "a setting", 60), new MemoryBudget(1 << 20));
        listening = new ServerBootstrap()
                .group(loops.acceptor(), loops.workers())
                .channelFactory(loops::newServerChannel)
                .childOption(ChannelOption.ALLOCATOR, memory)
                .childOption(ChannelOption.SO_SNDBUF, 4_096)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (encryption != null) {
                            channel.pipeline().addLast(encryption.newHandler(channel.alloc()));
                        }
                        channel.pipeline()
                                .addLast(new Http2Connection(
                                        limits, Map.of(AsciiString.of("/Test/call"), handler), null));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    @AfterEach
    void stop() {
        listening.close().syncUninterruptibly();
        loops.close();
    }

    private RawHttp2 connect(int receiveBufferBytes, int stream) {
        return open(RawHttp2.connect(port(), receiveBufferBytes), stream);
    }

    private RawHttp2 connect(SSLSocketFactory sockets) throws IOException {
        return open(RawHttp2.over(sockets.createSocket(InetAddress.getLoopbackAddress(), port())), 1);
    }

    private int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private RawHttp2 open(RawHttp2 client, int stream) {
        int before = calls.size();
        client.start(10_000_000).send(RawHttp2.open(stream, "/Test/call"));
        await().until(() -> calls.size() == before + 1);
        return client;
    }

    private Payload message(int number) {
        byte[] text = new byte[messageBytes];
        Arrays.fill(text, (byte) ('a' + number % 26));
        return Payload.of("Test", text);
    }

    /** One change after the other, each to all in one task of the loop, as pushes are brought. */
    private void sendToAll(int messages) {
        for (int i = 0; i < messages; i++) {
            Payload message = message(i);
            loops.workers()
                    .next()
                    .submit(() -> calls.forEach(call -> call.send(message)))
                    .syncUninterruptibly();
        }
    }

    /** Several changes in one task of the loop, so that nothing is flushed between them. */
    private void sendTogether(int messages) {
        loops.workers()
                .next()
                .submit(() -> {
                    for (int i = 0; i < messages; i++) {
                        Payload message = message(i);
                        calls.forEach(call -> call.send(message));
                    }
                })
                .syncUninterruptibly();
    }

    private void assertGets(RawHttp2 client, int messages) {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 0; i < messages; i++) {
            expected.writeBytes(RawHttp2.message(message(i).encoded()));
        }
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        while (read.size() < expected.size()) {
            Frame frame = client.await(RawHttp2.DATA, PATIENCE);
            read.writeBytes(frame.payload());
        }
        assertThat(Arrays.equals(read.toByteArray(), expected.toByteArray()))
                .as("each message, whole and in its order")
                .isTrue();
    }

    @Test
    void slowAndFastReadersGetTheSameBytes() {
        // The slow one is told first: were the frame its own, the others would miss what it has taken already.
        try (RawHttp2 slow = connect(2_048, 1);
                RawHttp2 fast = connect(0, 1);
                RawHttp2 other = connect(0, 1)) {
            sendToAll(40);

            assertGets(fast, 40);
            assertGets(other, 40);
            assertGets(slow, 40);
        }
    }

    @Test
    void aMessageIsFramedOnceForEachNumberOfAStream() {
        try (RawHttp2 first = connect(0, 1);
                RawHttp2 second = connect(0, 1);
                RawHttp2 third = connect(0, 1);
                RawHttp2 otherStream = connect(0, 3)) {
            sendToAll(1);

            assertGets(first, 1);
            assertGets(second, 1);
            assertGets(third, 1);
            assertGets(otherStream, 1);
            assertThat(memory.frames).hasValue(2);
        }
    }

    @Test
    void theFramesOfALargeMessageAreMadeOnceForAll() {
        messageBytes = 2 * FrameReader.MAX_FRAME_BYTES + 5_000;
        try (RawHttp2 first = connect(0, 1);
                RawHttp2 second = connect(2_048, 1);
                RawHttp2 third = connect(0, 1)) {
            sendToAll(1);

            assertGets(first, 1);
            assertGets(second, 1);
            assertGets(third, 1);
            // Two whole ones; the third one is too short to be counted.
            assertThat(memory.frames).hasValue(2);
        }
    }

    @Test
    void nothingIsKeptOnceItIsSent() {
        try (RawHttp2 first = connect(0, 1);
                RawHttp2 second = connect(0, 1)) {
            long before = memory.usedBytes();
            sendToAll(3);

            assertGets(first, 3);
            assertGets(second, 3);
            await().untilAsserted(() -> assertThat(memory.usedBytes()).isLessThan(before + MESSAGE_BYTES));
        }
    }

    /** TLS gathers small messages before it encrypts them. */
    @Test
    void smallMessagesOverTlsAreTheSameForAll() throws Exception {
        TestAuthority authority = new TestAuthority("ours");
        TestAuthority.Issued server = authority.server();
        encryption =
                SslContextBuilder.forServer(server.key(), server.certificate()).build();
        messageBytes = 200;
        SSLSocketFactory sockets = authority.context(null).getSocketFactory();
        try (RawHttp2 first = connect(sockets);
                RawHttp2 second = connect(sockets);
                RawHttp2 third = connect(sockets)) {
            sendTogether(30);
            assertGets(first, 30);
            assertGets(second, 30);
            assertGets(third, 30);
        }
    }
}
