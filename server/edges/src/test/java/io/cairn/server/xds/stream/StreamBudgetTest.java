package io.cairn.server.xds.stream;

import static io.cairn.server.xds.resource.XdsType.EDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.push.PushBudget;
import io.cairn.server.xds.LargeResponses;
import org.junit.jupiter.api.Test;

/** Large responses and the budget that they share with all pushes. */
class StreamBudgetTest {

    private static final int LIMIT = 200_000;

    private final FakeMesh mesh = new FakeMesh();
    private final PushBudget budget = new PushBudget(LIMIT);

    private TestStream client(String name, int bytes) {
        mesh.large = new LargeResponses(budget);
        mesh.set(EDS, "x".repeat(bytes), name);
        TestStream client = mesh.sotw();
        client.ask(EDS, "", name);
        return client;
    }

    @Test
    void streamThatDoesNotAcknowledgeHoldsTheBudgetForAShortTime() {
        TestStream client = client("a", 150_000);
        client.only();
        client.passTime(4);
        assertThat(budget.reservedBytes()).isGreaterThan(150_000);
        client.passTime(2);
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void laterResponseIsNotReleasedInTheTimeOfAnEarlierOne() {
        TestStream client = client("a", 150_000);
        client.passTime(4);
        client.ack(client.only(), "a");
        mesh.set(EDS, "y".repeat(150_000), "a").publish();
        client.only();
        client.passTime(2);
        assertThat(budget.reservedBytes()).isGreaterThan(150_000);
        client.passTime(4);
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void roomIsGivenToAllForWhomThereIsSome() {
        TestStream first = client("a", 180_000);
        Frames.Response sent = first.only();
        TestStream second = client("b", 90_000);
        TestStream third = client("c", 90_000);
        assertThat(second.received()).isEmpty();
        assertThat(third.received()).isEmpty();
        first.ack(sent, "a");
        assertThat(second.received()).hasSize(1);
        assertThat(third.received()).hasSize(1);
    }

    @Test
    void streamThatHasEndedPassesItsTurnOn() {
        TestStream first = client("a", 180_000);
        Frames.Response sent = first.only();
        TestStream second = client("b", 90_000);
        TestStream third = client("c", 190_000);
        second.stream.onCancel();
        first.ack(sent, "a");
        assertThat(third.received()).hasSize(1);
    }

    @Test
    void streamWaitsOnceHoweverOftenItTries() {
        TestStream first = client("a", 180_000);
        Frames.Response sent = first.only();
        TestStream second = client("b", 90_000);
        for (int i = 0; i < 5; i++) {
            second.stream.advance();
        }
        assertThat(mesh.waits).isEqualTo(1);
        first.ack(sent, "a");
        assertThat(second.received()).hasSize(1);
    }
}
