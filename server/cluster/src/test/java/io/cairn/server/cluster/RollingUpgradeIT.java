package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.node.NodeId;
import io.cairn.server.testing.LogWatch;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A group whose nodes run different versions of JGroups, as they do while a cluster is upgraded. Before the version of JGroups is
 * changed, the one that the last release has belongs into the list of the versions here.
 */
class RollingUpgradeIT {

    private static final AtomicLong INCARNATIONS = new AtomicLong(1_750_000_000_000L);
    /** More than one fragment each; all of them together are more than the credits that a sender has. */
    private static final List<String> TEXTS =
            List.of("a", "b".repeat(70_000), "c".repeat(70_000), "d".repeat(70_000), "e");

    private static final int MAX_ATTEMPTS_TO_LEAD = 10;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final LogWatch log = new LogWatch();

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        log.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.4.8.Final", "5.5.0.Final"})
    void nodesAreReplacedOneByOneAndBackWithoutLeavingTheGroup(String older) throws Exception {
        OlderJGroups jgroups = OlderJGroups.ofVersion(older);
        open.push(jgroups);
        List<InetSocketAddress> addresses =
                List.of(GroupNode.freeAddress(), GroupNode.freeAddress(), GroupNode.freeAddress());
        List<Member> group = new ArrayList<>();
        for (InetSocketAddress address : addresses) {
            group.add(join(address, addresses, jgroups));
        }
        assertOneGroup(group);

        // The first node, which leads the group, is replaced first; then a member.
        for (int i = 0; i < 2; i++) {
            group.get(i).close();
            group.set(i, join(addresses.get(i), addresses, null));
            assertOneGroup(group);
        }
        lead(group, 2, addresses);
        // One of the older version leads two of the present one now. The way back:
        group.get(0).close();
        group.set(0, join(addresses.get(0), addresses, jgroups));
        assertOneGroup(group);

        group.get(2).close();
        group.set(2, join(addresses.get(2), addresses, null));
        lead(group, 1, addresses);
        // The node of the present version leads one of the older version and one of its own.

        assertThat(log.warningsOf(JGroupsTransport.class))
                .as("the end of a member's connection is no other key")
                .noneMatch(line -> line.contains("not encrypted"));
        // Asked last: the channels set, before JGroups is initialized, that other versions are not refused.
        String number = older.substring(0, older.lastIndexOf('.'));
        assertThat(jgroups.version()).startsWith(number);
        assertThat(Version.printVersion()).doesNotStartWith(number);
    }

    /**
     * Makes a member the first of the view: those before it leave and join again. A node whose join was not answered in time starts
     * a group of its own, and the merged group may have another order.
     */
    private void lead(List<Member> group, int leader, List<InetSocketAddress> addresses) throws Exception {
        assertOneGroup(group);
        for (int attempt = 0; attempt < MAX_ATTEMPTS_TO_LEAD; attempt++) {
            NodeId first = group.get(leader).lastView().members().get(0);
            if (first.equals(group.get(leader).id)) {
                return;
            }
            for (int i = 0; i < group.size(); i++) {
                if (group.get(i).id.equals(first)) {
                    group.get(i).close();
                    group.set(i, join(addresses.get(i), addresses, group.get(i).older));
                }
            }
            assertOneGroup(group);
        }
        assertThat(group.get(leader).lastView().members().get(0)).isEqualTo(group.get(leader).id);
    }

    private Member join(InetSocketAddress address, List<InetSocketAddress> hosts, @Nullable OlderJGroups older)
            throws Exception {
        Member member = new Member(address, older);
        open.push(member);
        member.channel.hosts(hosts);
        member.channel.join(member);
        return member;
    }

    /** Each member sees all, and gets what each other sends, in order. */
    private static void assertOneGroup(List<Member> group) {
        List<NodeId> ids = group.stream().map(member -> member.id).toList();
        await().untilAsserted(() -> assertThat(group)
                .allSatisfy(
                        member -> assertThat(member.lastView().members()).containsExactlyInAnyOrderElementsOf(ids)));
        for (Member from : group) {
            for (Member to : group) {
                if (from != to) {
                    to.messages.remove(from.id);
                    TEXTS.forEach(text -> from.channel.send(to.id, text.getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
        for (Member from : group) {
            for (Member to : group) {
                if (from != to) {
                    await().untilAsserted(() -> assertThat(to.messages.get(from.id))
                            .as("%s to %s", from.id, to.id)
                            .isEqualTo(TEXTS));
                }
            }
        }
    }

    /** A member with the present JGroups, or with an older one. */
    private static final class Member implements GroupChannel.Listener, AutoCloseable {

        private final NodeId id;
        private final @Nullable OlderJGroups older;
        private final GroupChannel channel;
        private final List<GroupView> views = new CopyOnWriteArrayList<>();
        private final Map<NodeId, List<String>> messages = new ConcurrentHashMap<>();

        Member(InetSocketAddress address, @Nullable OlderJGroups older) throws ReflectiveOperationException {
            id = new NodeId(
                    MemberAddress.join(address.getAddress().getHostAddress(), address.getPort()),
                    INCARNATIONS.incrementAndGet());
            this.older = older;
            GroupSettings settings =
                    new GroupSettings(id, address, address.getAddress(), GroupNode.KEY, Duration.ofSeconds(30));
            channel = older == null ? new JGroupsChannel(settings) : older.newChannel(settings);
        }

        GroupView lastView() {
            return views.get(views.size() - 1);
        }

        @Override
        public void view(GroupView view) {
            views.add(view);
        }

        @Override
        public void message(NodeId from, byte[] message) {
            messages.computeIfAbsent(from, absent -> new CopyOnWriteArrayList<>())
                    .add(new String(message, StandardCharsets.UTF_8));
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
