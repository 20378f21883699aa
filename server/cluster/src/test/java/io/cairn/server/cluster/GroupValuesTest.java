package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.node.NodeId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values that a group deals in: nodes, views, settings. */
class GroupValuesTest {

    private static final NodeId FIRST = new NodeId("10.0.0.1:8848", 1);
    private static final NodeId SECOND = new NodeId("10.0.0.2:8848", 1);

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "node-1.example", "2001:db8::1", "ünï.example"})
    void nodeSurvivesItsEncoding(String host) {
        NodeId node = new NodeId(MemberAddress.join(host, 18848), 1_700_000_000_123L);
        assertThat(NodeIdBytes.decode(NodeIdBytes.encode(node))).isEqualTo(node);
    }

    @Test
    void nodeIsNamedByAddressAndIncarnation() {
        assertThat(FIRST).hasToString("10.0.0.1:8848#1");
        assertThat(new NodeId("10.0.0.1:8848", 2)).isNotEqualTo(FIRST);
    }

    @Test
    void nodeThatCannotBeIsRefused() {
        assertThatThrownBy(() -> new NodeId(" ", 1)).hasMessageContaining("host:port");
        assertThatThrownBy(() -> new NodeId("h".repeat(207), 1)).hasMessageContaining("206 bytes");
        assertThatThrownBy(() -> new NodeId("h:1", 0)).hasMessageContaining("incarnation: 0");
        assertThatThrownBy(() -> NodeIdBytes.decode(new byte[8])).hasMessageContaining("8 bytes");
        assertThatThrownBy(() -> NodeIdBytes.decode(new byte[9])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void viewHasMembersEachOnceAndAFirst() {
        GroupView view = new GroupView(3, List.of(SECOND, FIRST), false);
        assertThat(view.first()).isEqualTo(SECOND);
        assertThatThrownBy(() -> new GroupView(3, List.of(), false)).hasMessageContaining("at least one");
        assertThatThrownBy(() -> new GroupView(3, List.of(FIRST, FIRST), false)).hasMessageContaining("each once");
    }

    @Test
    void settingsRefuseUnusableValuesAndKeepTheKeySecret() throws Exception {
        InetAddress own = InetAddress.getByName("10.0.0.1");
        InetSocketAddress bind = new InetSocketAddress(own, 9849);
        Duration timeout = Duration.ofSeconds(6);
        byte[] key = GroupNode.key(77);
        GroupSettings settings = new GroupSettings(FIRST, bind, own, key, timeout);
        key[0] = 0;
        assertThat(settings.key()).isEqualTo(GroupNode.key(77));
        assertThat(settings.toString())
                .contains("10.0.0.1")
                .doesNotContain("77")
                .doesNotContain("[B@");

        InetAddress any = InetAddress.getByName("0.0.0.0");
        assertThatThrownBy(() -> new GroupSettings(FIRST, bind, any, key, timeout))
                .hasMessageContaining("advertised");
        assertThatThrownBy(() -> new GroupSettings(FIRST, bind, own, new byte[31], timeout))
                .hasMessage("key: 31 bytes (expected: 32)");
        assertThatThrownBy(() -> new GroupSettings(FIRST, new InetSocketAddress(own, 0), own, key, timeout))
                .hasMessageContaining("bind");
        assertThatThrownBy(() -> new GroupSettings(FIRST, bind, own, key, Duration.ofMillis(1_999)))
                .hasMessageContaining("failureTimeout");
    }
}
