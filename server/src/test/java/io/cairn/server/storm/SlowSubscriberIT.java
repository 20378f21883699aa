package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.PushesUnderWay;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.Memory;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.support.Sockets;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import io.cairn.testing.HangLimit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A subscriber that does not read its large lists costs little, disturbs nobody, and finds the newest when it reads. */
@Tag("full")
class SlowSubscriberIT {

    private static final String SERVICE = "large";
    private static final int INSTANCES = 1_000;
    private static final int CHANGES = 100;

    @RegisterExtension
    static final InspectableServer patient = InspectableServer.temporary()
            .with("cairn.connections.silence", "1h")
            .with("logging.level.io.cairn.server.connection", "ERROR");

    @RegisterExtension
    static final InspectableServer strict = InspectableServer.temporary()
            .with("cairn.connections.silence", "1s")
            .with("cairn.connections.detection-timeout", "8s")
            .with("logging.level.io.cairn.server.connection", "ERROR");

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    @HangLimit
    void aSubscriberThatDoesNotReadUsesLittleMemoryAndLaterGetsTheNewestList() {
        ServiceClient provider = client(patient);
        provider.registerAll(SERVICE, instances(0));
        RawHttp2 deaf = deafSubscriber(patient);
        ClientConnection connection = subscriber(patient);
        ServiceClient other = client(patient);
        other.subscribe(SERVICE);
        other.wire().pushes().clear();
        Memory before = Memory.used();

        for (int change = 1; change <= CHANGES; change++) {
            provider.registerAll(SERVICE, instances(change));
            if (change % 10 == 0) {
                awaitPush(other, change);
                assertThat(PushesUnderWay.to(connection))
                        .as("pushes for one who does not read")
                        .isLessThan(6);
            }
        }
        other.wire().pushes().clear();
        await().untilAsserted(() -> assertThat(Memory.used().megabytesMoreThan(before))
                .as("MB more")
                .isLessThan(12));
        assertThat(deaf.isBroken()).isFalse();

        awaitList(deaf, CHANGES);
    }

    @Test
    @HangLimit
    void closesConnectionOfASubscriberThatNeverReads() {
        ServiceClient provider = client(strict);
        provider.registerAll(SERVICE, instances(0));
        deafSubscriber(strict);
        ServiceClient other = client(strict);
        other.subscribe(SERVICE);

        int[] change = {0};
        await().until(() -> {
            provider.registerAll(SERVICE, instances(++change[0]));
            other.wire().pushes().clear();
            return strict.part(ConnectionRegistry.class).size() == 2;
        });
        await().until(() -> Sockets.heldBy(strict.grpcPort()) <= 2);
        provider.registerAll(SERVICE, instances(++change[0]));
        awaitPush(other, change[0]);
    }

    private ServiceClient client(InspectableServer server) {
        ServiceClient client = new ServiceClient(server.newClient());
        open.add(client);
        return client;
    }

    private RawHttp2 deafSubscriber(InspectableServer server) {
        RawHttp2 deaf = RawHttp2.connect(server.grpcPort(), 4_096).start().setUp(1);
        open.add(deaf);
        deaf.await(RawHttp2.DATA, PATIENCE);
        deaf.call(3, WireClient.payload("SubscribeServiceRequest", ServiceClient.subscription(SERVICE)));
        subscriber(server);
        return deaf;
    }

    private static ClientConnection subscriber(InspectableServer server) {
        return await().until(
                        () -> server.part(ConnectionRegistry.class).connections().stream()
                                .filter(each -> each.watches().size() == 1)
                                .findFirst(),
                        found -> found.isPresent())
                .orElseThrow();
    }

    private static List<String> instances(int change) {
        return IntStream.range(0, INSTANCES)
                .mapToObj(i -> ServiceClient.instance(
                        "10.0." + i / 250 + "." + i % 250, 80, Map.of("change", i == 0 ? marker(change) : "none")))
                .toList();
    }

    private static String marker(int change) {
        return "change-" + change + ".";
    }

    private static void awaitPush(ServiceClient subscriber, int change) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> subscriber.wire().pushes().stream()
                .anyMatch(push -> push.bodyText().contains(marker(change))));
        subscriber.wire().pushes().clear();
    }

    /** Reads all that comes until the list of that change is in it. */
    private static void awaitList(RawHttp2 client, int change) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String tail = "";
        while (System.nanoTime() - end < 0) {
            RawHttp2.Frame frame = client.read(PATIENCE).orElseThrow(() -> new AssertionError("hung up on"));
            if (frame.type() != RawHttp2.DATA || frame.payload().length == 0) {
                continue;
            }
            tail += new String(frame.payload(), StandardCharsets.ISO_8859_1);
            if (tail.contains(marker(change))) {
                return;
            }
            tail = tail.substring(Math.max(0, tail.length() - 64));
            client.send(RawHttp2.windowUpdate(frame.stream(), frame.payload().length));
            client.send(RawHttp2.windowUpdate(0, frame.payload().length));
        }
        throw new AssertionError("the list of change " + change + " did not come");
    }
}
