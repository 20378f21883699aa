package io.cairn.server.xds;

import static io.cairn.server.xds.resource.XdsType.CDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.mesh.MeshProxy;
import io.cairn.server.xds.stream.Admission;
import io.cairn.server.xds.stream.FakeMesh;
import io.cairn.server.xds.stream.Frames;
import io.cairn.server.xds.stream.TestStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The clients that were refused, as operators see them in the list of proxies and in the log. */
class RefusedClientsTest {

    private final FakeMesh mesh = new FakeMesh();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.cairn.server.xds");

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    private List<String> logged() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void refuse(String nodeId, GrpcStatus status, String why) {
        mesh.refusal = new Admission.Refused(status, why);
        mesh.sotw().named(nodeId).ask(CDS, "");
    }

    private List<MeshProxy> shown() {
        return mesh.refused.recent().stream().map(each -> each.shown("a:8848")).toList();
    }

    @Test
    void refusedClientsAreListedWithTheirReason() {
        refuse("one", GrpcStatus.UNAUTHENTICATED, "no credentials");
        refuse("two", GrpcStatus.PERMISSION_DENIED, "no right");
        refuse("three", GrpcStatus.RESOURCE_EXHAUSTED, "too many kinds");
        refuse("four", GrpcStatus.UNAVAILABLE, "not now");
        assertThat(shown())
                .extracting(MeshProxy::nodeId, MeshProxy::state, MeshProxy::reason)
                .containsExactly(
                        tuple("one", "unauthenticated", "no credentials"),
                        tuple("two", "denied", "no right"),
                        tuple("three", "refused", "too many kinds"));
        assertThat(mesh.events).contains("ended unauthenticated", "ended denied", "ended limit", "ended unavailable");
    }

    @Test
    void clientBeyondALimitIsListedWithTheLimit() {
        TestStream client = mesh.sotw();
        client.ask(CDS, "", "x".repeat(2_049));
        assertThat(shown())
                .extracting(MeshProxy::nodeId, MeshProxy::state, MeshProxy::reason)
                .containsExactly(tuple("sidecar-1", "refused", "the name of a resource: 2049 bytes (limit: 2048)"));
    }

    @Test
    void refusedClientStaysForTenMinutesAfterItsLastRefusal() {
        refuse("one", GrpcStatus.UNAUTHENTICATED, "no credentials");
        mesh.nanos += TimeUnit.MINUTES.toNanos(9);
        refuse("one", GrpcStatus.UNAUTHENTICATED, "an old token");
        mesh.nanos += TimeUnit.MINUTES.toNanos(9);
        assertThat(shown()).extracting(MeshProxy::reason).containsExactly("an old token");
        assertThat(mesh.refused.find(shown().get(0).id())).isNotNull();
        mesh.nanos += TimeUnit.MINUTES.toNanos(2);
        assertThat(shown()).isEmpty();
    }

    @Test
    void numberOfRefusedClientsIsBounded() {
        for (int i = 0; i < RefusedClients.MOST + 10; i++) {
            refuse("node-" + i, GrpcStatus.UNAUTHENTICATED, "no credentials");
        }
        assertThat(shown())
                .hasSize(RefusedClients.MOST)
                .extracting(MeshProxy::nodeId)
                .contains("node-10", "node-" + (RefusedClients.MOST + 9))
                .doesNotContain("node-9");
        assertThat(logged()).hasSize(RefusedClients.LINES_A_MINUTE);
        mesh.nanos += TimeUnit.MINUTES.toNanos(1);
        refuse("later", GrpcStatus.UNAUTHENTICATED, "no credentials");
        assertThat(logged())
                .hasSize(RefusedClients.LINES_A_MINUTE + 1)
                .last()
                .asString()
                .contains("later", "no credentials", "(and 480 refusals without a line before)");
    }

    @Test
    void clientThatConnectsAgainAndAgainIsLoggedOnceAMinute() {
        for (int i = 0; i < 130; i++) {
            refuse("one", GrpcStatus.PERMISSION_DENIED, "no right\nforged");
            mesh.nanos += TimeUnit.SECONDS.toNanos(1);
        }
        assertThat(logged()).hasSize(3).allSatisfy(line -> assertThat(line)
                .contains("(denied): one", "no right?forged"));
        assertThat(shown()).hasSize(1);
    }

    @Test
    void connectionAndRefusalOfAResponseAreLogged() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.sotw().named("gateway-1");
        client.ask(CDS, "");
        assertThat(logged()).singleElement().asString().contains("gateway-1", "has connected", "namespace");
        Frames.Response response = client.only();
        client.nack(response, "unknown field");
        assertThat(logged()).hasSize(2).last().asString().contains("gateway-1", "refuses CDS", "unknown field");
        mesh.set(CDS, "2", "a").publish();
        client.nack(client.only(), "unknown field");
        assertThat(logged()).hasSize(2);
    }

    @Test
    void clustersNearAndBeyondTheLimitAreLoggedOnce() {
        FakeMesh limited = new FakeMesh(10);
        limited.set(CDS, "1", "a", "b", "c", "d", "e", "f", "g");
        TestStream client = limited.sotw();
        client.ask(CDS, "");
        lines.list.clear();
        limited.set(CDS, "1", "h").publish();
        limited.set(CDS, "1", "i").publish();
        limited.set(CDS, "1", "j").publish();
        assertThat(logged()).singleElement().asString().contains("get 8 of at most 10", "cairn.xds.max-clusters");
        lines.list.clear();
        limited.set(CDS, "1", "k").publish();
        limited.set(CDS, "1", "l").publish();
        assertThat(logged()).singleElement().asString().contains("get 10 of 11", "new clients lack k");
        assertThat(limited.events).doesNotContain("lacks clusters");
        limited.sotw().ask(CDS, "");
        assertThat(limited.events).contains("lacks clusters");
    }
}
