package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.limit.Limit;
import io.cairn.server.testing.EqualLimits;
import io.cairn.server.testing.RawHttp2;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2ChannelTest {

    private static final int CONTINUATION = 9;
    private static final Limit ANY = new Limit("any", "", 100);
    private static final HttpMemory MEMORY = new HttpMemory(null, null, 1, 1, EqualLimits.of(ANY));

    /** A failure that reaches the end of the pipeline is logged as a warning with a stack trace, for each such client. */
    @ParameterizedTest
    @ValueSource(classes = {IOException.class, SocketException.class})
    void closesALostConnectionWithoutAWarning(Class<? extends IOException> failure) throws Exception {
        brokenBy(failure.getConstructor(String.class).newInstance("Connection reset by peer"));
    }

    @Test
    void aBrokenEncryptionEndsTheSame() {
        brokenBy(new DecoderException(new SSLException("bad record MAC")));
    }

    @Test
    void keepsNothingOfAHeadForWhichThereIsNoRoom() {
        MemoryBudget budget = new MemoryBudget(1);
        budget.tryReserve(1);
        UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(false);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(buffers);
        channel.pipeline()
                .addLast(Http2Channel.create(
                        null,
                        10,
                        new HttpMemory(budget, null, 1, 1, EqualLimits.of(new Limit("any", "", 512 * 1024))),
                        new ResponseCompression(new SharedCompression(Runnable::run))));
        send(channel, RawHttp2.preface());
        send(channel, RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[0]));
        send(channel, RawHttp2.frame(RawHttp2.HEADERS, 0, 1, new byte[16_384]));
        channel.pipeline().fireChannelReadComplete();
        assertThat(channel.isOpen()).isTrue();
        channel.releaseOutbound();

        for (int i = 0; i < 30; i++) {
            send(channel, RawHttp2.frame(CONTINUATION, 0, 1, new byte[16_384]));
        }
        channel.pipeline().fireChannelReadComplete();

        // Before the tasks of the closed channel; what is left is the frame that says why.
        assertThat(buffers.metric().usedHeapMemory() + buffers.metric().usedDirectMemory())
                .isLessThan(2_000);
        ByteBuf told = Unpooled.buffer();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            told.writeBytes(out);
            out.release();
        }
        assertThat(told.toString(StandardCharsets.US_ASCII)).endsWith(HttpPipeline.TOO_MANY_LARGE);
        int goAway = told.writerIndex() - HttpPipeline.TOO_MANY_LARGE.length() - 17;
        assertThat(told.getByte(goAway + 3)).isEqualTo((byte) RawHttp2.GOAWAY);
        assertThat(told.getInt(goAway + 13)).isEqualTo((int) Http2Error.ENHANCE_YOUR_CALM.code());
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
        assertThat(budget.reservedBytes()).as("of the other connection").isEqualTo(3);
    }

    private static void send(EmbeddedChannel channel, byte[] bytes) {
        channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(bytes));
    }

    private static void brokenBy(Exception failure) {
        EmbeddedChannel channel = new EmbeddedChannel(
                Http2Channel.create(null, 10, MEMORY, new ResponseCompression(new SharedCompression(Runnable::run))));

        channel.pipeline().fireExceptionCaught(failure);

        assertThatCode(channel::checkException).doesNotThrowAnyException();
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }
}
