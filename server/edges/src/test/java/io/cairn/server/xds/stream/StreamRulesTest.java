package io.cairn.server.xds.stream;

import static io.cairn.server.xds.resource.XdsType.CDS;
import static io.cairn.server.xds.resource.XdsType.EDS;
import static io.cairn.server.xds.resource.XdsType.LDS;
import static io.cairn.server.xds.resource.XdsType.RDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.subscription.LateSubscriber;
import io.cairn.server.xds.view.ChangeLog;
import io.cairn.server.xds.view.MeshView;
import io.cairn.server.xds.view.TableEntry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The rules of a stream, each frame by frame. The number of a rule is that of the table in docs/internals/mesh.md. */
class StreamRulesTest {

    private final FakeMesh mesh = new FakeMesh();

    private static String shown(List<Frames.Response> responses) {
        return responses.toString();
    }

    /** Subscribes to all clusters and to these endpoints, and acknowledges both. */
    private TestStream envoy(String... endpoints) {
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        Frames.Response clusters = client.only();
        client.ack(clusters);
        client.ask(EDS, "", endpoints);
        client.ack(client.only(), endpoints);
        return client;
    }

    @Test
    void refusedResponseIsNotSentAgainUntilTheNextRevision() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        Frames.Response first = client.only();
        client.nack(first, "bad cluster");
        assertThat(client.received()).isEmpty();
        TypeState state = client.stream.subscribedTypes().get(0);
        assertThat(state.error()).isEqualTo("bad cluster");

        mesh.set(CDS, "2", "a").publish();
        Frames.Response second = client.only();
        assertThat(second.resources()).hasSize(1);
        client.ack(second);
        assertThat(state.error()).isNull();
        assertThat(mesh.events).contains("refused cds: bad cluster", "acknowledged cds after a refusal");
    }

    @Test
    void clientIsBehindUntilItAcknowledgesTheVersionWithTheChange() {
        ServiceKey orders = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");
        mesh.set(EDS, "1", "orders", "other");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "orders");
        client.ack(client.only(), "orders");
        TestStream stranger = mesh.sotw().named("stranger");
        stranger.ask(EDS, "", "other");
        mesh.publish();
        assertThat(client.stream.isBehind(orders)).isFalse();

        mesh.set(EDS, "2", "orders");
        assertThat(client.stream.isBehind(orders)).as("before the publication").isTrue();
        mesh.publish();
        Frames.Response second = client.only();
        assertThat(client.stream.isBehind(orders)).as("before the answer").isTrue();
        client.nack(second, "bad endpoints", "orders");
        assertThat(client.stream.isBehind(orders)).as("after a refusal").isTrue();
        assertThat(client.stream.described())
                .extracting(LateSubscriber::kind, LateSubscriber::clientId, LateSubscriber::reason)
                .containsExactly("xds", "sidecar-1", "bad endpoints");

        mesh.set(EDS, "3", "orders").publish();
        client.ack(client.only(), "orders");
        assertThat(client.stream.isBehind(orders)).isFalse();
        assertThat(stranger.stream.isBehind(orders)).isFalse();
    }

    @Test
    void clientThatLeavesIsNotBehind() {
        ServiceKey orders = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");
        mesh.set(EDS, "1", "orders");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "orders");
        assertThat(client.stream.isBehind(orders)).isTrue();

        client.stream.onCancel();

        assertThat(client.stream.isBehind(orders)).isFalse();
    }

    @Test
    void recognizesARefusalByItsErrorAndNotItsVersion() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        // An acknowledgement without a version, as after a refusal.
        client.ask(CDS, client.only().nonce());
        assertThat(client.stream.subscribedTypes().get(0).error()).isNull();
        assertThat(mesh.events).contains("acknowledged cds");
    }

    @Test
    void allOfRefusedResponseComesWithTheNextRevision() {
        mesh.set(EDS, "1", "a", "b", "c");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a", "b");
        client.nack(client.only(), "bad endpoints of a", "a", "b");
        assertThat(client.received()).isEmpty();
        mesh.set(EDS, "2", "a").publish();
        Frames.Response second = client.only();
        assertThat(second.toString()).isEqualTo("eds [a, b]");
        client.ack(second, "a", "b", "c");

        // A name that was due, in a response that is refused twice.
        client.nack(client.only(), "bad endpoints of c", "a", "b", "c");
        mesh.set(EDS, "3", "a").publish();
        Frames.Response third = client.only();
        assertThat(third.toString()).isEqualTo("eds [a, c]");
        client.nack(third, "bad endpoints of c", "a", "b", "c");
        assertThat(client.received()).isEmpty();
        mesh.set(EDS, "2", "b").publish();
        Frames.Response last = client.only();
        assertThat(last.toString()).isEqualTo("eds [a, b, c]");
        client.ack(last, "a", "b", "c");
        mesh.set(EDS, "3", "b").publish();
        assertThat(shown(client.received())).isEqualTo("[eds [b]]");
    }

    @Test
    void nameAskedForAfterRefusalIsSentAloneAndTheRefusalStands() {
        mesh.set(EDS, "1", "a", "b");
        mesh.sotw().ask(EDS, "", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        client.nack(client.only(), "bad endpoints", "a", "b");
        Frames.Response added = client.only();
        assertThat(added.toString()).isEqualTo("eds [b]");
        client.ack(added, "a", "b");
        assertThat(client.received()).isEmpty();
        TypeState state = client.stream.subscribedTypes().get(0);
        assertThat(state.error()).isEqualTo("bad endpoints");
        assertThat(mesh.events).doesNotContain("acknowledged eds after a refusal");

        mesh.set(EDS, "2", "b").publish();
        Frames.Response next = client.only();
        assertThat(next.toString()).isEqualTo("eds [a, b]");
        client.ack(next, "a", "b");
        assertThat(state.error()).isNull();
        assertThat(mesh.events).contains("acknowledged eds after a refusal");
    }

    @Test
    void clientThatHasDroppedTheRefusedNameIsNoLongerRefusing() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        client.nack(client.only(), "bad endpoints", "b");
        client.ack(client.only(), "b");
        assertThat(client.stream.subscribedTypes().get(0).error()).isNull();
    }

    @Test
    void removalsOfRefusedDeltaResponsesComeWithTheNextRevisionToo() {
        mesh.set(CDS, "1", "a", "b", "c");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        // Envoy keeps the good clusters of a response that it refuses.
        client.nackDelta(client.only(), "bad cluster a");
        mesh.remove(CDS, "b").publish();
        Frames.Response second = client.only();
        assertThat(second.toString()).isEqualTo("cds [a, c] -[b]");
        client.nackDelta(second, "bad cluster a");
        mesh.set(CDS, "2", "a").publish();
        Frames.Response third = client.only();
        assertThat(third.toString()).isEqualTo("cds [a, c] -[b]");
        client.ackDelta(third);
        mesh.set(CDS, "2", "c").publish();
        assertThat(shown(client.received())).isEqualTo("[cds [c]]");
    }

    @Test
    void refusedDeltaResponseIsSentByTheNextViewOfTheStream() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        client.ackDelta(client.only());
        mesh.set(CDS, "1", "b").publish();
        client.nackDelta(client.only(), "bad cluster b");
        mesh.next = new FakeMesh().set(CDS, "1", "a", "b").view;
        client.stream.recheck();
        assertThat(shown(client.received())).isEqualTo("[cds [b]]");
    }

    @Test
    void longErrorIsCut() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        client.nack(client.only(), "x".repeat(5_000));
        assertThat(client.stream.subscribedTypes().get(0).error()).hasSize(1024);
    }

    @Test
    void firstRequestIsSubscriptionWithAnyNonce() {
        mesh.set(EDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(EDS, "17.of-an-earlier-stream", "a");
        assertThat(shown(client.received())).isEqualTo("[eds [a]]");
    }

    @Test
    void requestWithStaleNonceIsIgnored() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        Frames.Response first = client.only();
        mesh.set(EDS, "2", "a").publish();
        client.ack(first, "a");
        Frames.Response second = client.only();
        client.ack(first, "a", "b");
        assertThat(client.received()).isEmpty();
        client.ack(second, "a", "b");
        assertThat(shown(client.received())).isEqualTo("[eds [b]]");
    }

    @Test
    void repeatedAcknowledgementIsNotAnswered() {
        mesh.set(EDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        Frames.Response first = client.only();
        for (int i = 0; i < 3; i++) {
            client.ack(first, "a");
            assertThat(client.received()).isEmpty();
        }
        mesh.set(EDS, "2", "a").publish();
        assertThat(shown(client.received())).isEqualTo("[eds [a]]");
    }

    @Test
    void changesDuringAnUnacknowledgedResponseAreMerged() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a", "b");
        Frames.Response first = client.only();
        mesh.set(EDS, "2", "a").publish();
        mesh.set(EDS, "3", "a").publish();
        mesh.set(EDS, "2", "b").publish();
        assertThat(client.received()).isEmpty();
        client.ack(first, "a", "b");
        Frames.Response merged = client.only();
        assertThat(merged.resources()).containsExactlyInAnyOrderEntriesOf(Map.of("a", "3", "b", "2"));
        client.ack(merged, "a", "b");
        assertThat(client.received()).isEmpty();
    }

    @Test
    void routesWaitUntilNewClustersHaveTheirEndpoints() {
        mesh.set(CDS, "1", "a").set(EDS, "1", "a").set(LDS, "1", "front").set(RDS, "1", "main");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        client.ask(LDS, "");
        Frames.Response clusters = client.only();
        assertThat(clusters.type()).isEqualTo("cds");
        client.ack(clusters);
        assertThat(client.received()).isEmpty();
        client.ask(EDS, "", "a");
        Frames.Response endpoints = client.only();
        assertThat(endpoints.type()).isEqualTo("eds");
        client.ack(endpoints, "a");
        Frames.Response listeners = client.only();
        assertThat(listeners.type()).isEqualTo("lds");
        client.ack(listeners);
        client.ask(RDS, "", "main");
        client.ack(client.only(), "main");

        // A new cluster and the route to it, in one revision.
        mesh.set(CDS, "1", "b").set(EDS, "1", "b").set(RDS, "2", "main").publish();
        clusters = client.only();
        assertThat(clusters.toString()).isEqualTo("cds [a, b]");
        client.ack(clusters);
        assertThat(client.received()).isEmpty();
        client.ask(EDS, endpoints.nonce(), "a", "b");
        endpoints = client.only();
        assertThat(endpoints.toString()).isEqualTo("eds [b]");
        client.ack(endpoints, "a", "b");
        assertThat(shown(client.received())).isEqualTo("[rds [main]]");
    }

    @Test
    void routesWaitForFiveSecondsAtMost() {
        mesh.set(CDS, "1", "a").set(LDS, "1", "front");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        client.ask(LDS, "");
        client.ack(client.only());
        assertThat(client.received()).isEmpty();
        mesh.nanos += TimeUnit.MILLISECONDS.toNanos(4_999);
        client.stream.advance();
        assertThat(client.received()).isEmpty();
        mesh.nanos += TimeUnit.MILLISECONDS.toNanos(1);
        client.stream.advance();
        assertThat(shown(client.received())).isEqualTo("[lds [front]]");
    }

    @Test
    void routesDoNotWaitOnceMoreForClustersThatAreStillNotAcknowledged() {
        mesh.set(CDS, "1", "a").set(LDS, "1", "front").set(RDS, "1", "main", "other");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        Frames.Response clusters = client.only();
        client.ask(LDS, "");
        client.ask(RDS, "", "main");
        mesh.nanos += ClusterOrder.WAIT_NANOS;
        client.stream.advance();
        List<Frames.Response> late = client.received();
        assertThat(shown(late)).isEqualTo("[lds [front], rds [main]]");
        client.ack(late.get(1), "main", "other");
        assertThat(shown(client.received())).isEqualTo("[rds [other]]");

        // Another response with clusters is waited for as the first one.
        client.ack(late.get(0));
        client.ack(clusters);
        mesh.set(CDS, "2", "a").set(LDS, "2", "front").publish();
        assertThat(shown(client.received())).isEqualTo("[cds [a]]");
    }

    @Test
    void clientWithNamedClustersIsNotMadeToWait() {
        mesh.set(CDS, "1", "a").set(LDS, "1", "a").set(RDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "", "a");
        client.ask(LDS, "", "a");
        client.ask(RDS, "", "a");
        assertThat(shown(client.received())).isEqualTo("[cds [a], lds [a], rds [a]]");
    }

    @Test
    void clusterThatRoutesNamedStaysForFifteenSeconds() {
        mesh.set(CDS, "1", "a", "b").set(EDS, "1", "a", "b");
        TestStream client = envoy("a", "b");
        mesh.view.routedUntil("b", mesh.nanos);
        mesh.remove(CDS, "a", "b").publish();
        Frames.Response without = client.only();
        assertThat(without.toString()).isEqualTo("cds [b]");
        client.ack(without);
        mesh.nanos += MeshView.LEAVING_NANOS;
        mesh.publish();
        assertThat(shown(client.received())).isEqualTo("[cds []]");
    }

    @Test
    void unrequestedClusterLeavesNoDeadline() {
        mesh.set(CDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(CDS, "", "a", "b");
        Frames.Response first = client.only();
        mesh.view.routedUntil("b", mesh.nanos);
        mesh.remove(CDS, "b").publish();
        assertThat(client.received()).isEmpty();
        assertThat(mesh.view.dueInNanos(mesh.nanos)).isPositive().isLessThan(MeshView.LEAVING_NANOS);
        client.ack(first, "a");
        mesh.nanos += MeshView.LEAVING_NANOS;
        mesh.publish();
        assertThat(mesh.view.dueInNanos(mesh.nanos)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void endpointsOfChangedClusterAreSentAgain() {
        mesh.set(CDS, "1", "a", "b").set(EDS, "1", "a", "b");
        TestStream client = envoy("a", "b");
        mesh.set(CDS, "2", "a").publish();
        List<Frames.Response> responses = client.received();
        assertThat(shown(responses)).isEqualTo("[cds [a, b], eds [a]]");
        client.ack(responses.get(0));
        client.ack(responses.get(1), "a", "b");
        assertThat(client.received()).isEmpty();
    }

    @Test
    void endpointsOfChangedClusterAreSentOnNewStreamTooWhenTheClientHasThem() {
        mesh.set(CDS, "1", "a").set(EDS, "1", "a");
        TestStream before = mesh.delta();
        before.subscribe(CDS);
        before.subscribe(EDS, "a");
        List<Frames.Response> had = before.received();
        mesh.set(CDS, "2", "a").publish();

        TestStream client = mesh.delta();
        client.change(CDS, List.of(), List.of(), had.get(0).resources());
        assertThat(client.only().toString()).isEqualTo("cds [a]");
        client.change(EDS, List.of("a"), List.of(), had.get(1).resources());
        assertThat(client.only().toString()).isEqualTo("eds [a]");
    }

    @Test
    void firstAnswerIsSentThoughItIsEmpty() {
        TestStream sotw = mesh.sotw();
        sotw.ask(CDS, "");
        sotw.ask(LDS, "");
        Frames.Response clusters = sotw.only();
        assertThat(clusters.toString()).isEqualTo("cds []");
        sotw.ack(clusters);
        assertThat(shown(sotw.received())).isEqualTo("[lds []]");
        TestStream delta = mesh.delta();
        delta.subscribe(CDS);
        assertThat(shown(delta.received())).isEqualTo("[cds []]");
    }

    @Test
    void subscriptionThatGetsReadyWhileAnotherTypeIsSentIsAnsweredFromTablesThatHaveIt() {
        mesh.set(CDS, "1", "x").set(EDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "", "x");
        client.ack(client.only(), "x");
        client.call.ready = false;
        mesh.set(CDS, "2", "x").publish();
        mesh.hold();
        client.ask(EDS, "", "a");
        client.call.onSend = mesh::runHeld;
        client.call.ready = true;
        client.stream.onReady();
        assertThat(shown(client.received())).isEqualTo("[cds [x], eds [a]]");
    }

    @Test
    void addedNamesAreSentAloneAndNamesAskedAgainAreSentAgain() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        Frames.Response first = client.only();
        client.ack(first, "a", "b");
        Frames.Response second = client.only();
        assertThat(second.toString()).isEqualTo("eds [b]");
        client.ack(second, "b");
        assertThat(client.received()).isEmpty();
        client.ack(second, "a", "b");
        assertThat(shown(client.received())).isEqualTo("[eds [a]]");
    }

    @Test
    void nameSubscribedAgainOverDeltaIsSentAgain() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.delta();
        client.subscribe(EDS, "a", "b");
        client.ackDelta(client.only());
        client.subscribe(EDS, "a");
        assertThat(shown(client.received())).isEqualTo("[eds [a]]");
    }

    @Test
    void reconnectedDeltaClientGetsTheDifferenceAlone() {
        mesh.set(CDS, "1", "a", "b", "c");
        TestStream before = mesh.delta();
        before.subscribe(CDS);
        Map<String, String> had = before.only().resources();
        mesh.set(CDS, "2", "b").set(CDS, "1", "d").remove(CDS, "c").publish();
        TestStream client = mesh.delta();
        client.change(CDS, List.of(), List.of(), had);
        assertThat(shown(client.received())).isEqualTo("[cds [b, d] -[c]]");
    }

    @Test
    void deltaClientGetsChangesAndRemovals() {
        mesh.set(CDS, "1", "a", "b");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        client.ackDelta(client.only());
        mesh.set(CDS, "2", "a").remove(CDS, "b").publish();
        assertThat(shown(client.received())).isEqualTo("[cds [a] -[b]]");
    }

    @Test
    void refusedDeltaResponseIsNotSentAgain() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        client.nackDelta(client.only(), "no");
        assertThat(client.received()).isEmpty();
        mesh.set(CDS, "1", "b").publish();
        assertThat(shown(client.received())).isEqualTo("[cds [a, b]]");
    }

    @Test
    void droppedNameIsNotSentAnyMore() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.delta();
        client.subscribe(EDS, "a", "b");
        client.ackDelta(client.only());
        client.change(EDS, List.of(), List.of("a"), Map.of());
        mesh.set(EDS, "2", "a", "b").publish();
        assertThat(shown(client.received())).isEqualTo("[eds [b]]");
    }

    @Test
    void unknownTypeIsNeverAnswered() {
        TestStream client = mesh.sotw();
        client.send(new Frames.Message()
                .message(2, Frames.node("sidecar-1", TestStream.ENVOY, Map.of()))
                .text(4, "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret"));
        assertThat(client.received()).isEmpty();
        assertThat(client.call.status).isNull();
    }

    @Test
    void firstRequestWithoutNodeIdEndsTheStream() {
        TestStream client = mesh.sotw();
        client.send(new Frames.Message().text(4, CDS.typeUrl()));
        assertThat(client.call.status).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
        assertThat(client.call.why).contains("node.id");
    }

    @Test
    void unreadableRequestEndsTheStream() {
        TestStream client = mesh.sotw();
        client.stream.onMessage(new byte[] {0x12, 0x7f, 1});
        assertThat(client.call.status).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    }

    @Test
    void clientThatDoesNotReadGetsOneResponseOfATypeWhenItReadsAgain() {
        mesh.set(CDS, "1", "a").set(EDS, "1", "a");
        TestStream client = envoy("a");
        client.call.ready = false;
        for (int i = 2; i < 50; i++) {
            mesh.set(EDS, String.valueOf(i), "a").publish();
        }
        assertThat(client.received()).isEmpty();
        client.call.ready = true;
        client.stream.onReady();
        assertThat(client.only().resources()).containsEntry("a", "49");
    }

    @Test
    void largeResponseWaitsForTheBudget() {
        mesh.set(EDS, "x".repeat(1000), "a");
        mesh.budget = 100;
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        assertThat(client.received()).isEmpty();
        mesh.budget = 10_000;
        client.stream.advance();
        Frames.Response response = client.only();
        assertThat(mesh.taken).isPositive();
        client.ack(response, "a");
        assertThat(mesh.taken).isZero();
    }

    @Test
    void nameThatCannotBeLookedUpHoldsUpNoOtherAndIsTriedAgain() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a", "b");
        client.ack(client.only(), "a", "b");
        mesh.failing.add("a");
        mesh.set(EDS, "2", "a", "b").publish();
        Frames.Response without = client.only();
        assertThat(without.toString()).isEqualTo("eds [b]");
        client.ack(without, "a", "b");
        assertThat(mesh.view.dueInNanos(mesh.nanos)).isPositive().isLessThanOrEqualTo(MeshView.RETRY_NANOS);
        mesh.failing.clear();
        mesh.nanos += MeshView.RETRY_NANOS;
        mesh.publish();
        assertThat(client.only().resources()).containsExactly(Map.entry("a", "2"));
        assertThat(mesh.view.dueInNanos(mesh.nanos)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void streamEndsWhenItsResourcesCannotBeListed() {
        mesh.set(CDS, "1", "a");
        mesh.broken = true;
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        assertThat(client.call.status).isEqualTo(GrpcStatus.INTERNAL);
        mesh.broken = false;
        TestStream next = mesh.sotw();
        next.ask(CDS, "");
        assertThat(shown(next.received())).isEqualTo("[cds [a]]");
    }

    @Test
    void simultaneousSubscriptionsMakeOneRevisionAndWakeEachStreamOnce() {
        mesh.set(EDS, "1", "a", "b");
        mesh.hold();
        List<TestStream> clients = List.of(mesh.sotw(), mesh.sotw(), mesh.sotw(), mesh.sotw());
        for (int i = 0; i < 4; i++) {
            clients.get(i).ask(EDS, "", i < 3 ? "a" : "b");
        }
        clients.forEach(client -> client.call.channelsAsked = 0);
        mesh.runHeld();
        assertThat(clients).extracting(client -> client.call.channelsAsked).containsOnly(1);
        assertThat(mesh.view.state().revision()).isEqualTo(1);
        clients.subList(0, 3)
                .forEach(client -> assertThat(shown(client.received())).isEqualTo("[eds [a]]"));
        assertThat(shown(clients.get(3).received())).isEqualTo("[eds [b]]");
    }

    @Test
    void deltaStreamThatGoesOnWithAnotherViewGetsTheDifference() {
        mesh.set(CDS, "1", "a", "b", "d");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        client.ackDelta(client.only());
        FakeMesh other = new FakeMesh().set(CDS, "1", "a", "c").set(CDS, "2", "d");
        mesh.next = other.view;
        client.stream.recheck();
        assertThat(shown(client.received())).isEqualTo("[cds [c, d] -[b]]");
        assertThat(mesh.view.subscriptions()).isEmpty();
    }

    @Test
    void sotwStreamThatGoesOnWithAnotherViewGetsAllOfIt() {
        mesh.set(CDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        Frames.Response first = client.only();
        mesh.next = new FakeMesh().set(CDS, "1", "a").view;
        client.stream.recheck();
        assertThat(client.received()).isEmpty();
        client.ack(first);
        assertThat(shown(client.received())).isEqualTo("[cds [a]]");
    }

    @Test
    void streamHasAcknowledgedNothingOfItsNextView() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        Frames.Response first = client.only();
        client.ack(first);
        mesh.set(CDS, "2", "a").publish();
        client.ack(client.only());
        TypeState state = client.stream.subscribedTypes().get(0);
        assertThat(state.acknowledgedRevision()).isPositive();
        mesh.next = new FakeMesh().set(CDS, "1", "a").view;
        client.stream.recheck();
        assertThat(state.acknowledgedRevision()).isEqualTo(TableEntry.NOTHING);
        client.ack(client.only());
        assertThat(state.acknowledgedRevision()).isEqualTo(mesh.next.state().revision());
    }

    @Test
    void deltaStreamThatCannotKnowWhatIsGoneDoesNotGoOnWithAnotherView() {
        mesh.set(CDS, "1", "a", "b");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        assertThat(client.received()).hasSize(1);
        mesh.remove(CDS, "a").publish();
        for (int i = 0; i < 2 * ChangeLog.KEPT + 10; i++) {
            mesh.set(CDS, String.valueOf(i), "b").publish();
        }
        mesh.next = new FakeMesh().set(CDS, "1", "b").view;
        client.stream.recheck();
        assertThat(client.call.status).isEqualTo(GrpcStatus.UNAVAILABLE);
        assertThat(client.received()).isEmpty();
        assertThat(mesh.view.subscriptions()).isEmpty();
        assertThat(mesh.next.subscriptions()).isEmpty();
        assertThat(mesh.events).contains("left a view");
    }

    @Test
    void streamThatIsFartherBehindThanTheLogGetsAll() {
        mesh.set(EDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a", "b");
        Frames.Response first = client.only();
        mesh.set(EDS, "changed", "a").publish();
        for (int i = 0; i < 2 * ChangeLog.KEPT + 10; i++) {
            mesh.set(EDS, String.valueOf(i), "b").publish();
        }
        client.ack(first, "a", "b");
        assertThat(client.only().resources())
                .containsEntry("a", "changed")
                .containsEntry("b", String.valueOf(2 * ChangeLog.KEPT + 9));
    }

    @Test
    void deltaStreamThatCannotKnowWhatIsGoneConnectsAgain() {
        mesh.set(CDS, "1", "a", "b");
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        Frames.Response first = client.only();
        mesh.remove(CDS, "a").publish();
        for (int i = 0; i < 2 * ChangeLog.KEPT + 10; i++) {
            mesh.set(CDS, String.valueOf(i), "b").publish();
        }
        client.ackDelta(first);
        assertThat(client.call.status).isEqualTo(GrpcStatus.UNAVAILABLE);
    }

    @Test
    void equalContentIsNoChange() {
        mesh.set(EDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        client.ack(client.only(), "a");
        long revision = mesh.view.state().revision();
        mesh.set(EDS, "1", "a").publish();
        assertThat(client.received()).isEmpty();
        assertThat(mesh.view.state().revision()).isEqualTo(revision);
    }

    @Test
    void streamsWithTheSameSubscriptionShareTheResponse() {
        mesh.set(EDS, "1", "a");
        TestStream one = mesh.sotw();
        TestStream two = mesh.sotw();
        one.ask(EDS, "", "a");
        two.ask(EDS, "", "a");
        one.ack(one.only(), "a");
        two.ack(two.only(), "a");
        mesh.set(EDS, "2", "a").publish();
        assertThat(one.only().nonce()).isEqualTo(two.only().nonce());
    }

    @Test
    void closedStreamsLeaveNoSubscription() {
        mesh.set(EDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "a");
        assertThat(mesh.view.state().table(EDS).entries()).containsKey("a");
        client.stream.onHalfClose();
        assertThat(mesh.view.subscriptions()).isEmpty();
        assertThat(mesh.view.state().table(EDS).entries()).isEmpty();
    }
}
