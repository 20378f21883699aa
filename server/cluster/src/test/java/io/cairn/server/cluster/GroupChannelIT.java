package io.cairn.server.cluster;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.LogWatch;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jgroups.JChannel;
import org.jgroups.Version;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several members in one JVM, with real sockets. */
@Tag("full")
class GroupChannelIT {

    private static final int MESSAGES = 500;
    private static final String LARGE = "x".repeat(70_000);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    /** Members that have joined one after the other and see each other. */
    private List<GroupNode> group(int size) throws IOException {
        List<GroupNode> nodes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            nodes.add(opened(GroupNode.at(GroupNode.freeAddress())));
        }
        return joined(nodes);
    }

    private static List<GroupNode> joined(List<GroupNode> nodes) {
        List<InetSocketAddress> hosts = nodes.stream().map(node -> node.address).toList();
        nodes.forEach(node -> node.join(hosts));
        awaitMembers(nodes);
        return nodes;
    }

    private static void awaitMembers(List<GroupNode> nodes) {
        List<NodeId> ids = nodes.stream().map(node -> node.id).toList();
        await().untilAsserted(() -> assertThat(nodes)
                .allSatisfy(node -> assertThat(node.lastView().members()).containsExactlyInAnyOrderElementsOf(ids)));
    }

    @Test
    void allMembersSeeTheSameViewsInOneOrder() throws Exception {
        List<GroupNode> nodes = group(4);
        GroupNode left = nodes.get(3);
        left.close();
        awaitMembers(nodes.subList(0, 3));

        List<GroupView> all = nodes.get(0).views;
        assertThat(all).extracting(GroupView::number).isSorted().doesNotHaveDuplicates();
        assertThat(all).extracting(view -> view.members().size()).contains(4).endsWith(3);
        for (GroupNode node : nodes.subList(0, 3)) {
            await().untilAsserted(() ->
                    assertThat(node.lastView()).isEqualTo(nodes.get(0).lastView()));
            List<GroupView> common = new ArrayList<>(all);
            common.retainAll(node.views);
            assertThat(node.views).containsSubsequence(common);
            assertThat(common).anySatisfy(view -> assertThat(view.members()).hasSize(4));
        }
    }

    @Test
    void messagesOfASenderArriveCompleteAndInOrderInBothDirections() throws Exception {
        List<GroupNode> nodes = group(3);
        List<String> sent = new ArrayList<>(
                IntStream.range(0, MESSAGES).mapToObj(Integer::toString).toList());
        sent.add(MESSAGES / 2, LARGE);

        List<Thread> senders = new ArrayList<>();
        forEachPair(nodes, (from, to) -> senders.add(new Thread(() -> sent.forEach(text -> from.send(to, text)))));
        senders.forEach(Thread::start);
        for (Thread sender : senders) {
            sender.join();
        }

        forEachPair(nodes, (from, to) -> await().untilAsserted(
                        () -> assertThat(to.messagesOf(from)).hasSameSizeAs(sent)));
        forEachPair(nodes, (from, to) -> assertThat(to.messagesOf(from)).isEqualTo(sent));
    }

    @Test
    void sendsMessagesAfterTheFirstView() throws Exception {
        GroupNode first = opened(GroupNode.at(GroupNode.freeAddress()).greets()).join(List.of());
        GroupNode second =
                opened(GroupNode.at(GroupNode.freeAddress()).greets()).join(first);
        await().untilAsserted(() -> assertThat(first.messagesOf(second)).containsExactly("hello"));
        await().untilAsserted(() -> assertThat(second.messagesOf(first)).containsExactly("hello"));
    }

    private interface Pair {
        void accept(GroupNode from, GroupNode to);
    }

    private static void forEachPair(List<GroupNode> nodes, Pair pair) {
        for (GroupNode from : nodes) {
            for (GroupNode to : nodes) {
                if (from != to) {
                    pair.accept(from, to);
                }
            }
        }
    }

    /** The time-out of silence is longer than any wait here, so that nothing but the closed connection can be the reason. */
    @Test
    void killedMemberIsExcludedBecauseItsConnectionsAreClosed() throws Exception {
        List<GroupNode> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(opened(GroupNode.withFailureTimeout(GroupNode.freeAddress(), PATIENCE.multipliedBy(10))));
        }
        joined(nodes);
        exchange(nodes.get(0), nodes.get(2));

        nodes.get(2).kill();

        await().until(() -> nodes.get(0).lastView().members().size() == 2
                && nodes.get(1).lastView().members().size() == 2);
        awaitMembers(nodes.subList(0, 2));
    }

    @Test
    void silentMemberIsExcludedAndReturnsWithAMerge() throws Exception {
        List<GroupNode> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(opened(GroupNode.withFailureTimeout(GroupNode.freeAddress(), PATIENCE.dividedBy(12))));
        }
        joined(nodes);
        GroupNode apart = nodes.get(2);
        List<GroupNode> together = nodes.subList(0, 2);
        for (GroupNode node : together) {
            node.ignore(apart);
            apart.ignore(node);
        }
        awaitMembers(together);
        awaitMembers(List.of(apart));
        long largest =
                Math.max(apart.lastView().number(), together.get(0).lastView().number());

        nodes.forEach(GroupNode::ignoreNobody);

        awaitMembers(nodes);
        await().untilAsserted(() -> assertThat(nodes).allSatisfy(node -> {
            assertThat(node.lastView().merged()).isTrue();
            assertThat(node.lastView().number()).isGreaterThan(largest);
            assertThat(node.lastView()).isEqualTo(nodes.get(0).lastView());
        }));
        forEachPair(nodes, GroupChannelIT::exchange);
    }

    /** As in a container, whose own address others do not reach. */
    @Test
    void memberBoundToAllAddressesIsReachedAtTheAdvertisedOne() throws Exception {
        GroupNode everywhere = opened(GroupNode.boundToAll(GroupNode.freeAddress()));
        GroupNode other = opened(GroupNode.at(GroupNode.freeAddress()));

        joined(List.of(everywhere, other));

        exchange(everywhere, other);
        exchange(other, everywhere);
    }

    /** Firewalls between the nodes know the addresses in the list, and no others of the machines. */
    @Test
    void memberConnectsToOthersFromItsOwnAddress() throws Exception {
        InetAddress own = InetAddress.getByName("127.0.0.3");
        List<GroupNode> nodes = List.of(
                opened(GroupNode.at(GroupNode.freeAddress(own))),
                opened(GroupNode.boundToAll(GroupNode.freeAddress(own))));
        for (GroupNode node : nodes) {
            try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
                other.setSoTimeout((int) PATIENCE.toMillis());
                node.join(List.of((InetSocketAddress) other.getLocalSocketAddress()));
                try (Socket connection = other.accept()) {
                    assertThat(connection.getInetAddress()).isEqualTo(own);
                }
            }
        }
    }

    @Test
    void restartedMemberIsAnotherMember() throws Exception {
        List<GroupNode> nodes = group(2);
        GroupNode stays = nodes.get(0);
        GroupNode before = nodes.get(1);
        before.close();
        awaitMembers(List.of(stays));

        GroupNode after = opened(GroupNode.at(before.address)).join(stays);

        awaitMembers(List.of(stays, after));
        assertThat(after.id.address()).isEqualTo(before.id.address());
        assertThat(after.id).isNotEqualTo(before.id);
        exchange(after, stays);
        exchange(stays, after);
        // To the one that is gone: dropped, not sent to its successor.
        stays.send(before, "late");
        exchange(stays, after);
        assertThat(after.messagesOf(stays)).doesNotContain("late");
    }

    @Test
    void memberIsFoundThroughHostsThatAreAddedLater() throws Exception {
        GroupNode first = opened(GroupNode.at(GroupNode.freeAddress())).join(List.of());
        GroupNode second = opened(GroupNode.at(GroupNode.freeAddress())).join(List.of());
        assertThat(first.lastView().members()).containsExactly(first.id);
        assertThat(second.lastView().members()).containsExactly(second.id);

        first.channel.hosts(
                List.of(first.address, InetSocketAddress.createUnresolved("no-such-host", 1), second.address));

        awaitMembers(List.of(first, second));
        exchange(first, second);
    }

    /** More than fits the credits and the buffers of the sockets is sent to a member that does not read. */
    @Test
    void memberThatDoesNotReadStopsNoMessageBetweenTheOthers() throws Exception {
        List<GroupNode> nodes = group(3);
        GroupNode sender = nodes.get(0);
        GroupNode reads = nodes.get(1);
        GroupNode stuck = nodes.get(2);
        CountDownLatch readsAgain = new CountDownLatch(1);
        stuck.stopReadingUntil(readsAgain);
        String block = "y".repeat(20_000);
        int blocks = 200;
        AtomicInteger accepted = new AtomicInteger();
        Thread lane = new Thread(() -> {
            for (int i = 0; i < blocks; i++) {
                sender.send(stuck, block);
                accepted.incrementAndGet();
            }
        });
        lane.start();
        await().until(() -> lane.getState() == Thread.State.WAITING || lane.getState() == Thread.State.TIMED_WAITING);

        for (int i = 0; i < 50; i++) {
            exchange(sender, reads);
            exchange(reads, sender);
        }
        assertThat(accepted).hasValueLessThan(blocks);
        assertThat(sender.lastView().members()).contains(stuck.id);

        readsAgain.countDown();
        lane.join();
        await().untilAsserted(() -> assertThat(stuck.messagesOf(sender)).hasSize(blocks));
    }

    /** A host that drops what it is sent, such as one without power. The time-out of a connect is longer than the test. */
    @Test
    void hostThatDoesNotAnswerDelaysNoMessageBetweenTheOthers() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            List<SocketChannel> waiting = fill(full);
            List<GroupNode> nodes = List.of(
                    opened(GroupNode.withConnectTimeout(GroupNode.freeAddress(), PATIENCE.multipliedBy(10))),
                    opened(GroupNode.withConnectTimeout(GroupNode.freeAddress(), PATIENCE.multipliedBy(10))));
            List<InetSocketAddress> hosts = Stream.concat(
                            nodes.stream().map(node -> node.address),
                            Stream.of((InetSocketAddress) full.getLocalSocketAddress()))
                    .toList();
            nodes.forEach(node -> node.join(hosts));
            awaitMembers(nodes);
            await().until(() -> threads().anyMatch(name -> name.endsWith("opener")));

            for (int i = 0; i < 50; i++) {
                exchange(nodes.get(0), nodes.get(1));
                exchange(nodes.get(1), nodes.get(0));
            }
            assertThat(threads()).anyMatch(name -> name.endsWith("opener"));
            for (SocketChannel each : waiting) {
                each.close();
            }
        }
    }

    /** Connects until the system answers no further connection. */
    private static List<SocketChannel> fill(ServerSocket server) throws IOException {
        List<SocketChannel> waiting = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.connect(server.getLocalSocketAddress());
            waiting.add(channel);
        }
        return waiting;
    }

    @Test
    void strangersAreNeverMembersAndLeaveOneLine() throws Exception {
        List<GroupNode> nodes = group(2);
        List<InetSocketAddress> hosts = nodes.stream().map(node -> node.address).toList();
        try (LogWatch log = new LogWatch()) {
            GroupNode otherKey = opened(
                    GroupNode.withKey(GroupNode.freeAddress(InetAddress.getByName("127.0.0.2")), GroupNode.key(2)));
            otherKey.join(hosts);
            assertThat(otherKey.lastView().members()).containsExactly(otherKey.id);
            JChannel unencrypted = opened(unencrypted(InetAddress.getByName("127.0.0.3"), hosts));
            unencrypted.connect("cairn");
            assertThat(unencrypted.getView().size()).isEqualTo(1);
            for (int i = 0; i < 3; i++) {
                assertIsDisconnected(nodes.get(0).address, "127.0.0.4");
            }

            forEachPair(nodes, GroupChannelIT::exchange);
            assertThat(nodes).allSatisfy(node -> assertThat(node.views)
                    .allSatisfy(view -> assertThat(view.members()).isSubsetOf(nodes.get(0).id, nodes.get(1).id)));
            // The first two call both members, the third one calls one of them, three times.
            await().untilAsserted(() -> {
                assertThat(lines(log, "127.0.0.2")).isEqualTo(2);
                assertThat(lines(log, "127.0.0.3")).isEqualTo(2);
                assertThat(lines(log, "127.0.0.4")).isEqualTo(1);
            });
            assertThat(log.takeAlarms()).isEmpty();
        }
    }

    private static long lines(LogWatch log, String stranger) {
        return log.warningsOf(JGroupsTransport.class).stream()
                .filter(line -> line.contains("from " + stranger + ':'))
                .count();
    }

    /** With the protocols that a group needs, and the transport of JGroups itself. */
    private static JChannel unencrypted(InetAddress host, List<InetSocketAddress> hosts) throws Exception {
        TCP transport = new TCP();
        transport.setBindAddr(host);
        transport.setClientBindAddr(host);
        transport.setBindPort(GroupNode.freeAddress(host).getPort());
        transport.setPortRange(0);
        TCPPING discovery = new TCPPING();
        discovery.setInitialHosts(hosts);
        discovery.setPortRange(0);
        GMS membership = new GMS();
        membership.printLocalAddress(false);
        membership.setJoinTimeout(1_000);
        return new JChannel(transport, discovery, new MERGE3(), new NAKACK2(), new UNICAST3(), membership);
    }

    /** Speaks the protocol up to the first frame, which it does not encrypt. */
    private static void assertIsDisconnected(InetSocketAddress member, String host) throws Exception {
        try (Socket socket = shakingHands(member, host)) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] frame = new byte[100];
            out.writeInt(frame.length);
            out.write(frame);
            awaitEnd(socket);
        }
    }

    private static Socket connected(InetSocketAddress member, String host) throws IOException {
        return new Socket(member.getAddress(), member.getPort(), InetAddress.getByName(host), 0);
    }

    private static Socket shakingHands(InetSocketAddress member, String host) throws Exception {
        Socket socket = connected(member, host);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        IpAddress claimed = new IpAddress(InetAddress.getByName(host), 1);
        out.write(Connection.cookie);
        out.writeShort(Version.version);
        out.writeShort(claimed.serializedSize());
        claimed.writeTo(out);
        return socket;
    }

    /** Fails after a minute. */
    private static void awaitEnd(Socket socket) throws IOException {
        socket.setSoTimeout((int) PATIENCE.toMillis());
        InputStream in = socket.getInputStream();
        // The member may say that it closes the connection; nothing else follows.
        assertThat(in.readAllBytes()).hasSizeLessThanOrEqualTo(Integer.BYTES);
    }

    @Test
    void closesASilentConnectionAfterTheHandshakeButNotThoseOfMembers() throws Exception {
        List<GroupNode> nodes = List.of(
                opened(GroupNode.withIdleTimeout(GroupNode.freeAddress(), Duration.ofSeconds(3))),
                opened(GroupNode.withIdleTimeout(GroupNode.freeAddress(), Duration.ofSeconds(3))));
        joined(nodes);
        try (Socket stranger = shakingHands(nodes.get(0).address, "127.0.0.5")) {
            awaitEnd(stranger);
        }
        forEachPair(nodes, GroupChannelIT::exchange);
        assertThat(nodes).allSatisfy(node -> assertThat(node.views).hasSizeLessThanOrEqualTo(2));
    }

    @Test
    void silentConnectionsHarmNoOther() throws Exception {
        List<GroupNode> nodes = group(2);
        for (int i = 0; i < 5; i++) {
            opened(new Socket(
                    nodes.get(0).address.getAddress(), nodes.get(0).address.getPort()));
        }
        for (int i = 0; i < 20; i++) {
            exchange(nodes.get(0), nodes.get(1));
            exchange(nodes.get(1), nodes.get(0));
        }
        GroupNode third = opened(GroupNode.at(GroupNode.freeAddress())).join(nodes.get(0), nodes.get(1));
        awaitMembers(List.of(nodes.get(0), nodes.get(1), third));
    }

    /** Each of them may be silent for longer than the test takes. */
    @Test
    void silentConnectionsDelayNoOtherConnection() throws Exception {
        GroupNode node = opened(GroupNode.withHandshakeTimeout(GroupNode.freeAddress(), PATIENCE.multipliedBy(10)))
                .join(List.of());
        try (LogWatch log = new LogWatch()) {
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < AdmittingServerSocket.MAX_OF_ADDRESS; i++) {
                // Half of them begin the handshake.
                silent.add(opened(
                        i % 2 == 0 ? connected(node.address, "127.0.0.6") : shakingHands(node.address, "127.0.0.6")));
            }

            assertIsDisconnected(node.address, "127.0.0.7");
            GroupNode other = opened(GroupNode.at(GroupNode.freeAddress())).join(node);

            awaitMembers(List.of(node, other));
            exchange(node, other);
            exchange(other, node);
            for (Socket each : silent) {
                each.setSoTimeout(1);
                assertThatThrownBy(() -> each.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            }
            assertThat(lines(log, "127.0.0.6")).isZero();

            opened(connected(node.address, "127.0.0.6"));
            opened(connected(node.address, "127.0.0.6"));
            awaitEnd(silent.get(0));
            awaitEnd(silent.get(1));
            await().untilAsserted(() -> assertThat(lines(log, "127.0.0.6")).isOne());
            exchange(node, other);
        }
    }

    @Test
    void namesTheNodesThatHaveAnotherKey() throws Exception {
        GroupNode node = opened(GroupNode.at(GroupNode.freeAddress()));
        GroupNode otherKey = opened(GroupNode.withKey(GroupNode.freeAddress(), GroupNode.key(2)));
        List<InetSocketAddress> hosts = List.of(node.address, otherKey.address);
        node.join(hosts);
        assertThat(node.channel.otherKeys()).isEmpty();
        otherKey.join(hosts);

        await().untilAsserted(() -> assertThat(node.channel.otherKeys()).containsExactly(otherKey.address));
        await().untilAsserted(() -> assertThat(otherKey.channel.otherKeys()).containsExactly(node.address));
    }

    @Test
    void takenPortAndForeignAddressEndTheJoinWithOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            GroupNode node = opened(GroupNode.at((InetSocketAddress) taken.getLocalSocketAddress()));
            assertThatThrownBy(() -> node.join(List.of()))
                    .isInstanceOfSatisfying(
                            CairnException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("cairn.cluster.port")
                    .hasMessageNotContaining("\n");
        }
        GroupNode foreign = opened(GroupNode.at(new InetSocketAddress("203.0.113.7", 9849)));
        assertThatThrownBy(() -> foreign.join(List.of()))
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PARAMETER))
                .hasMessageContaining("203.0.113.7")
                .hasMessageContaining("cairn.cluster.bind-address");
    }

    @Test
    void closeFreesPortAndThreadsAndMayBeRepeated() throws Exception {
        List<Thread> before = groupThreads().toList();
        GroupNode node = GroupNode.at(GroupNode.freeAddress());
        assertThatThrownBy(() -> node.send(node, "early")).hasMessageContaining("not a member");
        node.join(List.of());
        exchange(node, node);
        assertThatThrownBy(() -> node.join(List.of())).isInstanceOf(IllegalStateException.class);
        exchange(node, node);

        node.close();
        node.close();

        assertThatThrownBy(() -> node.send(node, "late")).hasMessageContaining("not a member");
        await().untilAsserted(() -> assertThat(groupThreads().toList()).isSubsetOf(before));
        try (ServerSocket again = new ServerSocket()) {
            again.setReuseAddress(true);
            again.bind(node.address);
            assertThat(again.isBound()).isTrue();
        }
    }

    @Test
    void nodesWithOtherVersionsOfJGroupsAreNotRefused() throws Exception {
        group(1);
        assertThat(Version.isBinaryCompatible(Version.encode(5, 3, 18))).isTrue();
        assertThat(Version.isBinaryCompatible(Version.encode(5, 6, 0))).isTrue();
    }

    private static void exchange(GroupNode from, GroupNode to) {
        int before = to.messagesOf(from).size();
        from.send(to, "number " + before);
        await().untilAsserted(() ->
                assertThat(to.messagesOf(from)).hasSize(before + 1).endsWith("number " + before));
    }

    private static Stream<String> threads() {
        return groupThreads().map(Thread::getName);
    }

    private static Stream<Thread> groupThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("cairn-group-"));
    }
}
