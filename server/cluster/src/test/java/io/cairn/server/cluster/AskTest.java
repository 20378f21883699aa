package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AskTest {

    private static final NodeId A = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);
    private static final Duration WITHIN = Duration.ofSeconds(1);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final Map<NodeId, Ask> nodes = new HashMap<>();
    private final Set<NodeId> unreachable = new HashSet<>();
    private final List<Runnable> heldBack = new ArrayList<>();
    private boolean holdsBack;

    @BeforeEach
    void connect() {
        for (NodeId id : List.of(A, B, C)) {
            Ask ask = new Ask((to, message) -> send(id, to, message), loop, Runnable::run);
            ask.membersAre(
                    List.of(A, B, C).stream().filter(each -> !each.equals(id)).toList());
            nodes.put(id, ask);
        }
    }

    private boolean send(NodeId from, NodeId to, ClusterMessage message) {
        if (unreachable.contains(to)) {
            return false;
        }
        Runnable delivery = () -> {
            if (message instanceof ClusterMessage.Question question) {
                nodes.get(to).message(from, question);
            } else {
                nodes.get(to).message(from, (ClusterMessage.Answer) message);
            }
        };
        if (holdsBack) {
            heldBack.add(delivery);
        } else {
            delivery.run();
        }
        return true;
    }

    private void respondEverywhere(String name) {
        nodes.forEach((id, ask) -> ask.respond(
                name, parameters -> CompletableFuture.completedFuture(id.address() + ' ' + parameters.get("key"))));
    }

    private CompletionStage<String> ask(NodeId to) {
        return nodes.get(A).ask(to, "loads", Map.of("key", "value"), WITHIN);
    }

    private static void assertRefused(CompletionStage<String> result, ErrorCode code, String... words) {
        assertThatThrownBy(() -> result.toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(words);
    }

    @Test
    void anotherNodeAnswers() {
        respondEverywhere("loads");

        assertThat(ask(B)).isCompletedWithValue("10.0.0.2:8848 value");
    }

    @Test
    void theRefusalOfTheOtherNodeIsPassedOn() {
        nodes.get(B).respond("loads", parameters -> {
            throw new CairnException(ErrorCode.NOT_FOUND, "no such key");
        });
        nodes.get(C)
                .respond(
                        "loads",
                        parameters ->
                                CompletableFuture.failedFuture(new CairnException(ErrorCode.CONFLICT, "another key")));

        assertRefused(ask(B), ErrorCode.NOT_FOUND, "no such key");
        assertRefused(ask(C), ErrorCode.CONFLICT, "another key");
    }

    @Test
    void earlierReleaseRejectsUnknownRequest() {
        assertRefused(ask(B), ErrorCode.UNSUPPORTED, "does not know the question 'loads'");
    }

    @Test
    void reportsADefectOfTheOtherNodeWithoutItsDetails() {
        nodes.get(B).respond("loads", parameters -> {
            throw new IllegalStateException("secret");
        });

        assertRefused(ask(B), ErrorCode.INTERNAL, "a defect of the node");
    }

    @Test
    void anAnswerThatIsTooLongIsRefused() {
        nodes.get(B).respond("loads", parameters -> CompletableFuture.completedFuture("a".repeat(Ask.MAX_ANSWER + 1)));

        assertRefused(ask(B), ErrorCode.LIMIT_EXCEEDED, "expected: at most " + Ask.MAX_ANSWER);
    }

    @Test
    void aSilentNodeIsWaitedForUntilTheTimeIsOver() throws Exception {
        respondEverywhere("loads");
        holdsBack = true;
        CompletionStage<String> result = ask(B);
        loop.pass(WITHIN.minusMillis(1));
        assertThat(result).isNotDone();

        loop.pass(Duration.ofMillis(1));

        assertRefused(result, ErrorCode.UNAVAILABLE, B.address(), "'loads'", "has not answered in time");
        // The late answer changes nothing.
        holdsBack = false;
        List.copyOf(heldBack).forEach(Runnable::run);
        assertRefused(result, ErrorCode.UNAVAILABLE, "has not answered in time");
    }

    @Test
    void theWaitEndsWhenTheNodeLeaves() {
        respondEverywhere("loads");
        holdsBack = true;
        CompletionStage<String> result = ask(B);

        nodes.get(A).membersAre(List.of(C));

        assertRefused(result, ErrorCode.UNAVAILABLE, "has left the group");
    }

    @Test
    void doesNotWaitForNodeThatIsNoMember() {
        unreachable.add(B);

        assertRefused(ask(B), ErrorCode.UNAVAILABLE, "no member");
    }

    @Test
    void anAnswerOfAnotherNodeIsNotTaken() {
        respondEverywhere("loads");
        holdsBack = true;
        CompletionStage<String> result = ask(B);

        nodes.get(A).message(C, new ClusterMessage.Answer(1, "forged"));

        assertThat(result).isNotDone();
    }

    @Test
    void asksAllNodesInParallelAndReportsSilentOnes() {
        respondEverywhere("loads");
        unreachable.add(C);

        CompletionStage<Ask.Answers> all = nodes.get(A).askAll("loads", Map.of("key", "1"), WITHIN);

        assertThat(all)
                .isCompletedWithValueMatching(answers -> answers.silent().equals(List.of(C))
                        && answers.answers().equals(Map.of(B, "10.0.0.2:8848 1"))
                        && !answers.isComplete());
    }

    @Test
    void tooManyQuestionsThatWaitAreRefused() {
        respondEverywhere("loads");
        holdsBack = true;
        for (int i = 0; i < Ask.MAX_OUTSTANDING; i++) {
            ask(B);
        }

        assertRefused(ask(B), ErrorCode.UNAVAILABLE, "too many questions");
    }

    @Test
    void theWaitsEndWithTheNode() {
        holdsBack = true;
        CompletionStage<String> result = ask(B);

        nodes.get(A).close();

        assertRefused(result, ErrorCode.UNAVAILABLE, "this node stops");
        assertRefused(ask(B), ErrorCode.UNAVAILABLE, "this node stops");
    }
}
