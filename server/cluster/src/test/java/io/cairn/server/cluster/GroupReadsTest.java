package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.cluster.wire.ClusterMessage.Answer;
import io.cairn.server.cluster.wire.ClusterMessage.Question;
import io.cairn.server.node.ClusterReads.Others;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.HandDrivenLoop;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class GroupReadsTest {

    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);
    private static final NodeId CUT_OFF = new NodeId("10.0.0.4:8848", 1);

    private final HandDrivenLoop loop = new HandDrivenLoop();

    @Test
    void nodesThatRefuseOrAreCutOffAreSilent() {
        Ask[] here = new Ask[1];
        Ask ask = new Ask(
                (to, message) -> {
                    if (to.equals(C)) {
                        return false;
                    }
                    here[0].message(to, new Answer(((Question) message).id(), "[1]"));
                    return true;
                },
                loop,
                Runnable::run);
        here[0] = ask;
        ask.membersAre(List.of(B, C));
        GroupReads reads = new GroupReads(ask, () -> List.of(CUT_OFF, B));

        CompletableFuture<Others> others = reads.askOthers("rows", Map.of()).toCompletableFuture();

        assertThat(others)
                .isCompletedWithValue(new Others(Map.of(B.address(), "[1]"), List.of(C.address(), CUT_OFF.address())));
    }

    @Test
    void answersTheQuestionsOfOtherNodes() {
        String[] answered = new String[1];
        Ask ask = new Ask(
                (to, message) -> {
                    answered[0] = ((Answer) message).json();
                    return true;
                },
                loop,
                Runnable::run);
        new GroupReads(ask, List::of)
                .answer("rows", parameters -> CompletableFuture.completedFuture('[' + parameters.get("x") + ']'));

        ask.message(B, new Question(7, "rows", Map.of("x", "5")));

        assertThat(answered[0]).isEqualTo("[5]");
    }
}
