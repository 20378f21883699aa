package io.cairn.benchmark.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.wire.Envelope.Member;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ViewScannerTest {
    private final List<String> instances = new ArrayList<>();
    private final ViewScanner scanner = new ViewScanner(new ViewListener() {
        @Override
        public void instance(int index, int version) {
            instances.add(index + "." + version);
        }

        @Override
        public void viewed(int bytes) {}
    });

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100, 1_000_000})
    void marksAreFoundWhereverTheMessageIsCut(int pieceBytes) {
        String hosts = Stream.of(new Instance(0, 0), new Instance(77_123, 45), new Instance(9, 1_000_000))
                .map(Instance::json)
                .collect(Collectors.joining(","));
        for (String requestId : List.of("7", "123456789")) {
            instances.clear();
            byte[] message = push(requestId, hosts);
            scan(message, pieceBytes);
            assertThat(instances).containsExactly("0.0", "77123.45", "9.1000000");
            assertThat(scanner.bytes()).isEqualTo(message.length - Envelope.PREFIX_BYTES);
            Envelope head = scanner.finish();
            assertThat(head.type()).isEqualTo("NotifySubscriberRequest");
            assertThat(head.member(Member.REQUEST_ID)).isEqualTo(requestId);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a~b", "~1.2", "~1~", "~1.x~"})
    void ignoresTextThatResemblesAMark(String text) {
        scan(push("1", "\"" + text + "\""), 3);
        scanner.finish();
        assertThat(instances).isEmpty();
        scan(push("2", new Instance(3, 4).json()), 3);
        assertThat(instances).containsExactly("3.4");
    }

    private static byte[] push(String requestId, String hosts) {
        return Envelope.write(
                "NotifySubscriberRequest",
                "{\"headers\":{},\"requestId\":\"" + requestId + "\",\"serviceInfo\":{\"name\":\"a\",\"hosts\":["
                        + hosts + "]},\"module\":\"naming\"}");
    }

    private void scan(byte[] message, int pieceBytes) {
        for (int at = Envelope.PREFIX_BYTES; at < message.length; at += pieceBytes) {
            scanner.scan(Unpooled.wrappedBuffer(message), at, Math.min(pieceBytes, message.length - at));
        }
    }
}
