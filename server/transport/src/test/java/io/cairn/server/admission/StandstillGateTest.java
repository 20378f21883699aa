package io.cairn.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.timer.Standstill;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StandstillGateTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nanos = new AtomicLong();
    private final Standstill standstill = new Standstill(nanos::get);
    private final List<String> passed = new ArrayList<>();
    private final EmbeddedChannel channel =
            new EmbeddedChannel(new StandstillGate(standstill), new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ByteBuf bytes = (ByteBuf) message;
                    passed.add(bytes.toString(StandardCharsets.US_ASCII));
                    bytes.release();
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext context) {
                    passed.add("complete");
                }
            });

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private void standStill() {
        standstill.running(SECOND);
        nanos.addAndGet(20 * SECOND);
    }

    private void wait(int millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void inputPassesAtOnceWhileTheProcessRuns() {
        standstill.running(SECOND);

        channel.writeInbound(bytes("a"));

        assertThat(passed).containsExactly("a", "complete");
    }

    @Test
    void inputOfAStandstillPassesInOrderWhenTheConnectionStays() {
        standStill();
        channel.writeInbound(bytes("a"));
        channel.writeInbound(bytes("b"));
        assertThat(passed).isEmpty();

        wait(10);
        assertThat(passed).containsExactly("a", "b", "complete");

        nanos.addAndGet(20 * SECOND);
        standstill.idle();
        nanos.addAndGet(20 * SECOND);
        channel.writeInbound(bytes("c"));
        assertThat(passed).endsWith("c", "complete");
    }

    @Test
    void inputOfAStandstillIsDiscardedWhenTheClientHasClosedTheConnection() {
        standStill();
        ByteBuf request = bytes("a");
        channel.writeInbound(request);

        channel.close();
        wait(10);

        assertThat(passed).doesNotContain("a");
        assertThat(request.refCnt()).isZero();
    }

    @Test
    void inputIsReleasedWhenTheHandlerIsRemoved() {
        standStill();
        ByteBuf request = bytes("a");
        channel.writeInbound(request);

        channel.pipeline().removeFirst();
        wait(10);

        assertThat(request.refCnt()).isZero();
        assertThat(passed).doesNotContain("a");
    }
}
