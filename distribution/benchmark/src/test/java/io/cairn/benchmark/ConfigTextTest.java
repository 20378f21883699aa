package io.cairn.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.Envelope;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTextTest {
    private final ConfigText texts = new ConfigText(1, 5120);

    @ParameterizedTest
    @ValueSource(ints = {16, 17, 47, 48, 49, 1024, 5119, 5120})
    void thePublishCarriesExactlyTheText(int chars) {
        for (long serial : List.of(0L, 63L, 1_700_000_000_000L << 20)) {
            byte[] message = texts.publish(ConfigMessages.publishHead("a"), serial, chars);
            Envelope publish = Envelope.read(Unpooled.wrappedBuffer(message), 5, message.length - 5);
            String body = publish.body();
            int start = body.indexOf("\"content\":\"") + 11;
            String escaped = body.substring(start, body.indexOf('"', start));
            assertThat(escaped.replace("\\n", "\n"))
                    .isEqualTo(texts.text(serial, chars))
                    .hasSize(chars);
        }
    }

    @Test
    void contentsOfDifferentSerialsDiffer() {
        assertThat(texts.text(1, 100)).isNotEqualTo(texts.text(2, 100)).isNotEqualTo(texts.text(65, 100));
    }
}
