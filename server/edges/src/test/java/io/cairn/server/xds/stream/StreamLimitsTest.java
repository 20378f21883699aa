package io.cairn.server.xds.stream;

import static io.cairn.server.xds.resource.XdsType.CDS;
import static io.cairn.server.xds.resource.XdsType.EDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.xds.ViewLimit;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.view.DiscoveryMessages;
import io.cairn.server.xds.view.MeshViews;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The limits on the requests of a client, before and after it is admitted. */
class StreamLimitsTest {

    private final FakeMesh mesh = new FakeMesh();

    StreamLimitsTest() {
        mesh.maxClusters = 2_000;
    }

    private static Frames.Message request(Frames.Message node) {
        return new Frames.Message().message(2, node).text(4, CDS.typeUrl());
    }

    private static Frames.Message node(String id, Map<String, String> metadata) {
        return Frames.node(id, TestStream.ENVOY, metadata);
    }

    private void assertThatIsRefused(Frames.Message request, String why) {
        TestStream client = mesh.sotw();
        client.send(request);
        assertThat(client.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(client.call.why).isEqualTo(why);
    }

    @Test
    void namesAreReadOnlyAfterTheClientIsAdmitted() {
        mesh.refusal = new Admission.Refused(GrpcStatus.UNAUTHENTICATED, "no credentials");
        TestStream client = mesh.sotw();
        // A name that is no text, which shows only when it is read.
        byte[] request = request(node("a", Map.of())).toBytes();
        byte[] withNumber = Arrays.copyOf(request, request.length + 2);
        withNumber[request.length] = 3 << 3;
        client.stream.onMessage(withNumber);
        assertThat(client.call.status).isEqualTo(GrpcStatus.UNAUTHENTICATED);
    }

    @Test
    void streamWithoutRequestEndsAfterItsDeadline() {
        TestStream client = mesh.sotw();
        client.stream.awaitFirst();
        client.passTime(29);
        assertThat(client.call.status).isNull();
        client.passTime(2);
        assertThat(client.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(client.call.why).isEqualTo("no request came (limit: 30 s after the start of the stream)");
    }

    @Test
    void streamWithRequestOutlivesTheDeadline() {
        TestStream client = mesh.sotw();
        client.stream.awaitFirst();
        client.ask(CDS, "");
        client.passTime(60);
        assertThat(client.call.status).isNull();
    }

    @Test
    void bytesBeforeTheAdmissionAreLimited() {
        mesh.postponed = true;
        TestStream client = mesh.sotw();
        client.send(request(node("a", Map.of())));
        client.send(new Frames.Message().text(3, "x".repeat(1_000_000)));
        assertThat(client.call.status).isNull();
        client.send(new Frames.Message().text(3, "x".repeat(100_000)));
        assertThat(client.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(client.call.why).contains("before the first response", "(limit: 1048576)");
    }

    @Test
    void requestsBeforeTheAdmissionAreLimited() {
        mesh.postponed = true;
        TestStream client = mesh.sotw();
        for (int i = 0; i < 64; i++) {
            client.ask(EDS, "", "a");
        }
        assertThat(client.call.status).isNull();
        client.ask(EDS, "", "a");
        assertThat(client.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(client.call.why).contains("(limit: 64)");
    }

    @Test
    void textsOfTheNodeAreLimited() {
        String text = "x".repeat(1_025);
        assertThatIsRefused(request(node(text, Map.of())), "node.id: 1025 bytes (limit: 1024)");
        assertThatIsRefused(
                request(new Frames.Message().text(1, "a").text(2, text)), "node.cluster: 1025 bytes (limit: 1024)");
        assertThatIsRefused(
                request(node("a", Map.of("tag", text))), "node.metadata.tag: 1025 characters (limit: 1024)");
        assertThatIsRefused(
                request(node("a", Map.of("services", "a,".repeat(2_001)))),
                "too many names in node.metadata.services (limit: 2000)");
    }

    @Test
    void viewsAreLimitedUnlessTheClientSharesOne() {
        try (MeshViews views =
                new MeshViews(key -> mesh, 10_000, new DiscoveryMessages("cairn@test"), System::nanoTime)) {
            ViewLimit limit = new ViewLimit(views, 20);
            for (int i = 0; i < 20; i++) {
                assertThat(limit.refusal(scope(i))).isNull();
                views.enter(scope(i));
            }
            Admission.Refused refusal = limit.refusal(scope(20));
            assertThat(refusal.status()).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
            assertThat(refusal.why()).contains("(limit cairn.xds.max-views: 20; ", "node.metadata.services");
            assertThat(limit.refusal(scope(7))).isNull();
        }
    }

    private ViewKey scope(int number) {
        ViewKey any = mesh.view.key();
        return new ViewKey(
                any.namespace(),
                List.of("service-" + number),
                any.flavour(),
                any.labels(),
                any.services(),
                any.configurations(),
                any.reader());
    }

    @Test
    void namesOfARequestAreLimited() {
        String[] names = IntStream.range(0, 10_001).mapToObj(i -> "name-" + i).toArray(String[]::new);
        TestStream client = mesh.sotw();
        client.ask(EDS, "", names);
        assertThat(client.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(client.call.why).isEqualTo("too many names of resources in one request (limit: 10000)");
    }

    @Test
    void namesOfASubscriptionAreLimited() {
        TestStream client = mesh.delta();
        for (int i = 0; i < 2; i++) {
            int start = i * 5_000;
            client.subscribe(
                    EDS,
                    IntStream.range(start, start + 5_000)
                            .mapToObj(n -> "name-" + n)
                            .toArray(String[]::new));
            assertThat(client.call.status).isNull();
        }
        client.subscribe(EDS, "one-more");
        assertThat(client.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(client.call.why).isEqualTo("too many names of resources in one subscription (limit: 10000)");
        assertThat(mesh.view.subscriptions()).isEmpty();
    }

    @Test
    void namesOfAllStreamsOfAClientAreLimited() {
        int perStream = FakeMesh.MAX_NAMES / 4;
        List<TestStream> streams = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            TestStream stream = mesh.sotw();
            stream.ask(EDS, "", names(i * perStream, perStream));
            assertThat(stream.only().resources()).isEmpty();
            streams.add(stream);
        }
        TestStream beyond = mesh.sotw();
        beyond.ask(EDS, "", "one-more");
        assertThat(beyond.call.status).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        assertThat(beyond.call.why)
                .isEqualTo("too many names of resources in the subscriptions of all streams of this client (limit: "
                        + FakeMesh.MAX_NAMES + ")");
        assertThat(streams).allSatisfy(stream -> assertThat(stream.call.status).isNull());
        // A stream that shares its subscription costs nothing more; one that ends makes room.
        TestStream sharing = mesh.sotw();
        sharing.ask(EDS, "", names(0, perStream));
        assertThat(sharing.call.status).isNull();
        streams.get(3).stream.onCancel();
        TestStream later = mesh.sotw();
        later.ask(EDS, "", "one-more");
        assertThat(later.call.status).isNull();
        mesh.streams.forEach(stream -> stream.stream.onCancel());
        assertThat(mesh.names().clients()).isZero();
    }

    @Test
    void namesOfAClientTakeNothingFromOthersOfItsKind() {
        int perStream = FakeMesh.MAX_NAMES / 4;
        for (int i = 0; i < 6; i++) {
            TestStream client = mesh.sotw().named("sidecar-" + i);
            client.ask(EDS, "", names(i * perStream, perStream));
            assertThat(client.call.status).as("client %d", i).isNull();
        }
    }

    @Test
    void clientAtItsLimitMayChangeItsNames() {
        TestStream client = mesh.sotw();
        int half = FakeMesh.MAX_NAMES / 2;
        client.ask(CDS, "", names(0, half));
        client.ask(EDS, "", names(0, half));
        Frames.Response endpoints = client.received().get(1);
        client.ack(endpoints, names(half, half));
        assertThat(client.call.status).isNull();
    }

    private static String[] names(int from, int count) {
        return IntStream.range(from, from + count).mapToObj(i -> "name-" + i).toArray(String[]::new);
    }

    @Test
    void limitOfNamesFollowsTheLimitOfClusters() {
        assertThat(XdsLimits.maxNames(2_000)).isEqualTo(10_000);
        assertThat(XdsLimits.maxNames(20_000)).isEqualTo(40_000);
        assertThat(XdsLimits.maxNames(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
        assertThat(XdsLimits.maxNamesOfClient(2_000)).isEqualTo(100_000);
        assertThat(XdsLimits.maxNamesOfClient(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void lengthOfANameIsLimited() {
        TestStream client = mesh.sotw();
        client.ask(EDS, "", "x".repeat(2_049));
        assertThat(client.call.why).isEqualTo("the name of a resource: 2049 bytes (limit: 2048)");
    }

    @Test
    void responsesWithNamesThatAreDueAreKeptInASmallNumber() {
        String[] names = IntStream.range(0, 500).mapToObj(i -> "name-" + i).toArray(String[]::new);
        mesh.set(EDS, "1", names);
        List<TestStream> clients = List.of(mesh.delta(), mesh.delta());
        clients.forEach(client -> {
            client.subscribe(EDS, names);
            client.ackDelta(client.only());
        });
        for (String name : names) {
            for (TestStream client : clients) {
                client.subscribe(EDS, name);
                client.ackDelta(client.only());
            }
        }
        assertThat(mesh.view.state().rememberedResponses()).isLessThan(100);
    }

    @Test
    void emptyListAfterNamesStandsForNone() {
        mesh.set(CDS, "1", "a", "b");
        TestStream client = mesh.sotw();
        client.ask(CDS, "", "*", "a");
        Frames.Response first = client.only();
        assertThat(first.resources()).containsOnlyKeys("a", "b");
        client.ack(first, "*", "a");
        client.ack(first);
        mesh.set(CDS, "2", "b").publish();
        assertThat(client.received()).isEmpty();
        assertThat(client.stream.subscribedTypes().get(0).subscription().isWildcard())
                .isFalse();
    }

    @Test
    void emptyListOfAClientThatNeverNamedAnythingStandsForAll() {
        mesh.set(CDS, "1", "a");
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        client.ack(client.only());
        mesh.set(CDS, "2", "a").publish();
        assertThat(client.only().resources()).containsEntry("a", "2");
    }

    @Test
    void textOfAClientInTheLogIsOneShortLine() {
        assertThat(ClientText.shown("a\nERROR forged\u001b[31m\u2028b")).isEqualTo("a?ERROR forged?[31m?b");
        assertThat(ClientText.shown("x".repeat(10_000))).hasSize(203).endsWith("...");
        assertThat(XdsNode.read(new MessageInput(node("a\nb", Map.of()).toBytes())))
                .hasToString("a?b (envoy/1.40.0)");
    }
}
