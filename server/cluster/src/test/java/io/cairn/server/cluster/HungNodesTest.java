package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HungNodesTest {

    private static final NodeId NODE = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId NEXT_RUN = new NodeId("10.0.0.1:8848", 2);
    private static final NodeId OTHER = new NodeId("10.0.0.2:8848", 1);

    private final HungNodes hung = new HungNodes();

    private static long at(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void silentMemberHangsUntilItIsHeardOfAgain() {
        assertThat(hung.check(Map.of(NODE, at(0), OTHER, at(4)), at(4))).isFalse();
        assertThat(hung.check(Map.of(NODE, at(0), OTHER, at(5)), at(5))).isTrue();
        assertThat(hung.check(Map.of(NODE, at(6), OTHER, at(6)), at(6))).isFalse();
    }

    @Test
    void nodeThatLeftTheViewInSilenceHangsForAMinute() {
        hung.check(Map.of(NODE, at(0)), at(8));
        assertThat(hung.check(Map.of(), at(9))).isTrue();
        assertThat(hung.check(Map.of(OTHER, at(59)), at(59))).isTrue();
        assertThat(hung.check(Map.of(OTHER, at(60)), at(60))).isFalse();
    }

    @Test
    void nodeWhoseProcessEndedDoesNotHang() {
        hung.check(Map.of(NODE, at(0)), at(2));
        assertThat(hung.check(Map.of(), at(10))).isFalse();
    }

    @Test
    void nextRunOfANodeEndsTheHangOfTheRunBefore() {
        hung.check(Map.of(NODE, at(0)), at(8));
        assertThat(hung.check(Map.of(NEXT_RUN, at(20)), at(20))).isFalse();
    }
}
