package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ReceiveBuffersTest {

    private static final int ANSWER = 110;

    private final RecvByteBufAllocator.Handle handle = GrpcServer.RECEIVE_BUFFERS.newHandle();

    @Test
    void aLongerMessageAfterManyShortOnesIsReadInOnePiece() {
        for (int i = 0; i < 100; i++) {
            read(ANSWER);
        }

        assertThat(handle.guess()).isEqualTo(2048);
    }

    @Test
    void readsLargePiecesFromAClientThatSendsMuch() {
        for (int i = 0; i < 100; i++) {
            read(handle.guess());
        }

        assertThat(handle.guess()).isEqualTo(65_536);
    }

    /** As the transport does it for a socket that has so much to read. */
    private void read(int bytes) {
        handle.reset(new DefaultChannelConfig(new EmbeddedChannel()));
        handle.incMessagesRead(1);
        handle.attemptedBytesRead(handle.guess());
        handle.lastBytesRead(bytes);
        handle.readComplete();
    }
}
