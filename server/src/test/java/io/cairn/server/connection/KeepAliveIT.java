package io.cairn.server.connection;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.testing.RawHttp2;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KeepAliveIT {

    @RegisterExtension
    static final CairnExtension strict = CairnExtension.temporary();

    @RegisterExtension
    static final CairnExtension quick = CairnExtension.temporary()
            .with("cairn.grpc.permit-keep-alive", "100ms")
            .with("cairn.grpc.keep-alive", "10s")
            .with("cairn.grpc.keep-alive-timeout", PATIENCE.toSeconds() + "s");

    @RegisterExtension
    static final CairnExtension asking =
            CairnExtension.temporary().with("cairn.grpc.keep-alive", "1s").with("cairn.grpc.keep-alive-timeout", "1s");

    @Test
    void pingsWithoutAnyCallAreAnsweredAsOftenAsPermitted() {
        // The Go SDK pings once a minute, six times as seldom as is permitted; here it is the same, only faster.
        try (RawHttp2 client = RawHttp2.connect(quick.server().grpcPort()).start()) {
            for (int i = 1; i <= 6; i++) {
                client.send(RawHttp2.ping(i));
                awaitPong(client, i);
                // From here, for a busy server may have seen it just now.
                answerPingsUntil(
                        client, System.nanoTime() + Duration.ofMillis(150).toNanos());
            }
        }
    }

    @Test
    void aFewPingsInQuickSuccessionAreForgiven() {
        try (RawHttp2 client = RawHttp2.connect(strict.server().grpcPort()).start()) {
            for (int i = 1; i <= 2; i++) {
                client.send(RawHttp2.ping(i));
                awaitPong(client, i);
            }
            client.setUp(1);
            client.await(RawHttp2.DATA, PATIENCE);
        }
    }

    @Test
    void aFloodOfPingsIsAnsweredWithAGoAwayThatHasTheReason() {
        try (RawHttp2 client = RawHttp2.connect(strict.server().grpcPort()).start()) {
            for (int i = 0; i < 20 && client.trySend(RawHttp2.ping(i)); i++) {}

            RawHttp2.Frame goAway = client.await(RawHttp2.GOAWAY, PATIENCE);

            assertThat(ByteBuffer.wrap(goAway.payload()).getInt(4))
                    .as("ENHANCE_YOUR_CALM")
                    .isEqualTo(11);
            assertThat(new String(goAway.payload(), StandardCharsets.US_ASCII)).endsWith("too_many_pings");
            client.awaitEnd(PATIENCE);
        }
    }

    @Test
    void closesConnectionThatDoesNotAnswerPings() {
        int port = asking.server().grpcPort();
        try (RawHttp2 wordless = RawHttp2.connect(port);
                RawHttp2 cutOff = RawHttp2.connect(port).send("PRI * HT".getBytes(StandardCharsets.US_ASCII));
                RawHttp2 deaf = RawHttp2.connect(port).start()) {
            deaf.await(RawHttp2.PING, PATIENCE);

            deaf.awaitEnd(PATIENCE);
            cutOff.awaitEnd(PATIENCE);
            wordless.awaitEnd(PATIENCE);
        }
    }

    private static void awaitPong(RawHttp2 client, long data) {
        while (true) {
            RawHttp2.Frame ping = client.await(RawHttp2.PING, PATIENCE);
            if (ping.isAck()) {
                assertThat(ByteBuffer.wrap(ping.payload()).getLong()).isEqualTo(data);
                return;
            }
            client.send(RawHttp2.frame(RawHttp2.PING, RawHttp2.ACK, 0, ping.payload()));
        }
    }

    private static void answerPingsUntil(RawHttp2 client, long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            client.poll(Duration.ofNanos(left))
                    .filter(frame -> frame.type() == RawHttp2.PING && !frame.isAck())
                    .ifPresent(ping -> client.send(RawHttp2.frame(RawHttp2.PING, RawHttp2.ACK, 0, ping.payload())));
        }
    }
}
