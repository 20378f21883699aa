package io.cairn.server.http.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ReadPool;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.CopyStatus;
import io.cairn.server.node.NodeFinding;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeStatus.Presence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ReleaseKindsTest {

    private static final GrayRule LABEL = GrayRule.named("zone-a", "label", null, "zone = a", 0);
    private static final GrayRule BETA = GrayRule.named("canary", "beta", null, "10.0.0.1", 0);

    private final List<NodeStatus> members = new ArrayList<>();
    /** The answers of the other nodes; a living node without one is silent. */
    private final Map<String, String> answers = new HashMap<>();

    private int questions;
    private final ReleaseKinds kinds = new ReleaseKinds(new Members(), new Reads(), new ReadPool(Runnable::run));

    private final class Members implements ClusterMembers {

        @Override
        public boolean isCluster() {
            return true;
        }

        @Override
        public NodeStatus self() {
            return members.get(0);
        }

        @Override
        public List<NodeStatus> all() {
            return members;
        }

        @Override
        public List<CopyStatus> copies() {
            return List.of();
        }

        @Override
        public List<NodeFinding> findings() {
            return List.of();
        }
    }

    private final class Reads implements ClusterReads {

        @Override
        public void answer(String question, Answering answering) {}

        @Override
        public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
            questions++;
            List<String> silent = members.stream()
                    .skip(1)
                    .filter(node -> node.presence() != Presence.ABSENT)
                    .map(NodeStatus::address)
                    .filter(node -> !answers.containsKey(node))
                    .toList();
            return CompletableFuture.completedFuture(new Others(answers, silent));
        }
    }

    private void node(String address, Presence presence, long startedAt) {
        members.removeIf(known -> known.address().equals(address));
        members.add(new NodeStatus(
                address, presence, NodeState.READY, "0.1.0", 9848, 7848, startedAt, 0, 0, 0, 0, 0, 0, 0, null));
    }

    private static String knows(String node) {
        return "[{\"node\":\"" + node + "\",\"type\":\"label\"}]";
    }

    private void check(GrayRule rule) {
        try {
            kinds.check(rule).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw (CairnException) e.getCause();
        }
    }

    @Test
    void aKindThatANodeMayNotKnowIsRefusedWithTheNamesOfTheNodes() {
        node("a:8848", Presence.PRESENT, 1);
        node("b:8848", Presence.PRESENT, 1);
        node("c:8848", Presence.SUSPECTED, 1);
        node("d:8848", Presence.PRESENT, 1);
        node("ended:8848", Presence.ABSENT, 1);
        answers.put("b:8848", knows("b:8848"));

        assertThatThrownBy(() -> check(LABEL))
                .isInstanceOf(CairnException.class)
                .hasMessage("release 'zone-a' of kind label is not published: c:8848, d:8848 did not answer that it"
                        + " knows this kind; publish again, and upgrade or end that node if it stays so");
        check(BETA);
        assertThatThrownBy(() -> check(GrayRule.named("some", "percentage", null, "25", 0)))
                .as("a node that answers without this kind")
                .hasMessageContaining("b:8848, c:8848, d:8848");

        answers.put("c:8848", knows("c:8848"));
        answers.put("d:8848", knows("d:8848"));
        check(LABEL);
    }

    @Test
    void aNodeIsAskedOnceAfterEachOfItsStarts() {
        node("a:8848", Presence.PRESENT, 1);
        node("b:8848", Presence.PRESENT, 1);
        answers.put("b:8848", knows("b:8848"));
        check(LABEL);
        answers.clear();
        check(LABEL);
        assertThat(questions)
                .as("a node that hangs later knows the kind anyway")
                .isOne();

        node("b:8848", Presence.PRESENT, 2);
        assertThatThrownBy(() -> check(LABEL)).hasMessageContaining("b:8848");
        assertThat(questions).isEqualTo(2);
    }

    @Test
    void aSingleServerAsksNobody() {
        node("a:8848", Presence.PRESENT, 1);
        check(LABEL);
        assertThat(questions).isZero();
    }
}
