package io.cairn.server.cluster;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;

/** A member for tests: keeps what it was sent, and can be cut off, killed, or made to stop reading. */
final class GroupNode implements GroupChannel.Listener, AutoCloseable {

    static final byte[] KEY = key(1);
    /** Long enough that no test on a busy machine loses a member by it. */
    private static final Duration FAILURE_TIMEOUT = PATIENCE;

    private static final Consumer<TCP> AS_SET = tcp -> {};
    private static final AtomicLong INCARNATIONS = new AtomicLong(1_700_000_000_000L);

    final NodeId id;
    final InetSocketAddress address;
    final JGroupsChannel channel;
    final List<GroupView> views = new CopyOnWriteArrayList<>();
    private final Map<NodeId, List<String>> messages = new ConcurrentHashMap<>();
    private final DISCARD discard = new DISCARD();
    private final List<Protocol> stack = new ArrayList<>();
    private volatile @Nullable CountDownLatch gate;
    private volatile boolean greets;

    private GroupNode(InetSocketAddress address, byte[] key, Duration failureTimeout, Consumer<TCP> transport) {
        this(address, address, key, failureTimeout, transport);
    }

    private GroupNode(
            InetSocketAddress address,
            InetSocketAddress bind,
            byte[] key,
            Duration failureTimeout,
            Consumer<TCP> transport) {
        this.address = address;
        this.id = new NodeId(
                MemberAddress.join(address.getAddress().getHostAddress(), address.getPort()),
                INCARNATIONS.incrementAndGet());
        this.channel = new JGroupsChannel(
                new GroupSettings(id, bind, address.getAddress(), key, failureTimeout), protocols -> {
                    stack.add(protocols.get(0));
                    stack.add(discard);
                    stack.addAll(protocols.subList(1, protocols.size()));
                    transport.accept(transport());
                    return stack;
                });
    }

    static GroupNode at(InetSocketAddress address) {
        return new GroupNode(address, KEY, FAILURE_TIMEOUT, AS_SET);
    }

    static GroupNode boundToAll(InetSocketAddress address) throws IOException {
        InetSocketAddress all = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), address.getPort());
        return new GroupNode(address, all, KEY, FAILURE_TIMEOUT, AS_SET);
    }

    static GroupNode withKey(InetSocketAddress address, byte[] key) {
        return new GroupNode(address, key, FAILURE_TIMEOUT, AS_SET);
    }

    static GroupNode withFailureTimeout(InetSocketAddress address, Duration timeout) {
        return new GroupNode(address, KEY, timeout, AS_SET);
    }

    static GroupNode withConnectTimeout(InetSocketAddress address, Duration timeout) {
        return new GroupNode(address, KEY, FAILURE_TIMEOUT, tcp -> tcp.setSockConnTimeout((int) timeout.toMillis()));
    }

    /** Waits that long for the first message of a connection. */
    static GroupNode withHandshakeTimeout(InetSocketAddress address, Duration timeout) {
        return new GroupNode(
                address, KEY, FAILURE_TIMEOUT, tcp -> tcp.setPeerAddrReadTimeout((int) timeout.toMillis()));
    }

    static GroupNode withIdleTimeout(InetSocketAddress address, Duration timeout) {
        return new GroupNode(address, KEY, FAILURE_TIMEOUT, tcp -> {
            tcp.setConnExpireTime(timeout.toMillis());
            tcp.setReaperInterval(timeout.toMillis() / 2);
        });
    }

    static byte[] key(int seed) {
        byte[] key = new byte[FrameCipher.KEY_BYTES];
        Arrays.fill(key, (byte) seed);
        return key;
    }

    static InetSocketAddress freeAddress() throws IOException {
        return freeAddress(InetAddress.getByName("127.0.0.1"));
    }

    static InetSocketAddress freeAddress(InetAddress host) {
        return new InetSocketAddress(host, ReservedPorts.one());
    }

    GroupNode join(GroupNode... others) {
        channel.hosts(Stream.of(others).map(other -> other.address).toList());
        channel.join(this);
        return this;
    }

    GroupNode join(Collection<InetSocketAddress> hosts) {
        channel.hosts(hosts);
        channel.join(this);
        return this;
    }

    @Override
    public void view(GroupView view) {
        views.add(view);
        if (greets) {
            for (NodeId member : view.members()) {
                if (!member.equals(id)) {
                    channel.send(member, "hello".getBytes(StandardCharsets.UTF_8));
                }
            }
        }
    }

    /** Sends a message to each other member of a view when it receives the view. */
    GroupNode greets() {
        greets = true;
        return this;
    }

    GroupView lastView() {
        return views.get(views.size() - 1);
    }

    @Override
    public void message(NodeId from, byte[] message) {
        CountDownLatch closed = gate;
        if (closed != null) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CairnException(ErrorCode.INTERNAL, "interrupted", e);
            }
        }
        messages.computeIfAbsent(from, absent -> new CopyOnWriteArrayList<>())
                .add(new String(message, StandardCharsets.UTF_8));
    }

    List<String> messagesOf(GroupNode sender) {
        return messages.getOrDefault(sender.id, List.of());
    }

    void send(GroupNode to, String text) {
        channel.send(to.id, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Does not return from a call with a message until the latch is open. */
    void stopReadingUntil(CountDownLatch open) {
        gate = open;
    }

    /** Receives nothing of this node from now on. */
    void ignore(GroupNode other) {
        discard.addIgnoreMember(other.jgroupsAddress());
    }

    void ignoreNobody() {
        discard.resetIgnoredMembers();
    }

    /** As the end of its process does to others: its sockets are closed, and nothing answers for it. */
    void kill() {
        discard.discardAll(true);
        transport().clearConnections(false);
    }

    private TCP transport() {
        return (TCP) stack.get(0);
    }

    private Address jgroupsAddress() {
        return discard.getProtocolStack().getChannel().getAddress();
    }

    @Override
    public void close() {
        CountDownLatch closed = gate;
        if (closed != null) {
            closed.countDown();
        }
        channel.close();
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
