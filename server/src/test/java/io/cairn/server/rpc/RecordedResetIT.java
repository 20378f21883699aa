package io.cairn.server.rpc;

import static org.awaitility.Awaitility.await;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.limit.Limit;
import io.cairn.server.push.PushBudget;
import io.cairn.server.rpc.connection.HealthCheckHandler;
import io.cairn.server.support.WireClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.HashedWheelTimer;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gRPC edge built by hand, because no API tells a server yet to send its clients away. */
class RecordedResetIT {

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final EventLoops loops = new EventLoops(1);
    private final ConnectionRegistry connections = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofSeconds(20), Duration.ofSeconds(5), 10),
            16,
            new PushBudget(1_000_000),
            new RequestIds(),
            timer,
            "127.0.0.1");
    private final GrpcServer server = new GrpcServer(
            new GrpcServer.Settings(
                    new InetSocketAddress("127.0.0.1", 0),
                    new Limit("message-bytes", "a setting", 1024 * 1024),
                    10_000,
                    300_000,
                    20_000,
                    100,
                    1024 * 1024,
                    new MemoryBudget(64 << 20),
                    AnswerMemory.unlimited(),
                    new Limit("head-seconds", "a setting", 15)),
            loops,
            new GrpcServer.Handlers(
                    new MessageRouter(
                            List.of(new HealthCheckHandler()),
                            meters,
                            () -> true,
                            Runnable::run,
                            new MemoryBudget(1 << 20),
                            AskingNobody.authorizer()),
                    connections,
                    client -> Map.of(),
                    () -> true,
                    "127.0.0.1",
                    Map.of()),
            Clock.systemUTC(),
            new SharedCompression(Runnable::run),
            channel -> {});

    @BeforeEach
    void start() {
        server.start();
    }

    @AfterEach
    void stop() {
        server.close();
        loops.close();
        timer.stop();
    }

    @Test
    void aResetClientReconnectsAsRecorded() {
        RecordedFlow flow = new RecordedFlow(
                        "2.5.1/connection-reset", () -> WireClient.connect("127.0.0.1", server.port()))
                .butInLine(
                        6,
                        "{\"headers\":{},\"abilityTable\":{},\"module\":\"internal\"}",
                        "this edge is built to offer nothing")
                .without(Set.of("InstanceRequest", "SubscribeServiceRequest", "NotifySubscriberResponse"))
                .withoutMarker();
        flow.given(() -> {
            var connection = connections.connections().iterator().next();
            connections.reset(connection, "127.0.0.1", 8848, MoveReason.OPERATOR);
        });
        try (flow) {
            flow.play();

            await().until(() -> connections.size() == 1);
        }
    }
}
