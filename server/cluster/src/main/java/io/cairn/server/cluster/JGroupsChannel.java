package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.logging.LogFactory;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.AddressGenerator;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.Responses;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link GroupChannel} on JGroups; only the classes {@code JGroups…} know JGroups. docs/internals/cluster.md has the reasons for
 * protocols and values.
 */
public final class JGroupsChannel implements GroupChannel {

    static {
        // Before JGroups is initialized: during an upgrade the nodes run different versions of it.
        System.setProperty("jgroups.version.check", "false");
        LogFactory.setCustomLogFactory(new JGroupsLog.Factory());
        ExtendedUUID.setPrintFunction(JGroupsChannel::print);
    }

    private static final Logger log = LoggerFactory.getLogger(JGroupsChannel.class);

    private static final String GROUP = "cairn";
    /** Under this key the address of a member carries its {@link NodeId}. */
    private static final String NODE = "node";

    private static final int SOCKET_BUFFER_BYTES = 400_000;
    /** Bytes under way to a member that does not read; must be below the capacity of both socket buffers. */
    private static final int CREDIT_BYTES = 150_000;

    private static final double CREDIT_THRESHOLD = 0.4;
    /** A receiver does not count messages before its view; without a request the sender would wait for those credits. */
    private static final int CREDIT_REQUEST_MILLIS = 500;

    /** Must be below the least credits, which are the two above multiplied. */
    private static final int FRAGMENT_BYTES = 30_000;
    /** Bundles of messages have at most 64 KB. */
    private static final int MAX_FRAME_BYTES = 256 * 1024;

    private static final int CONNECT_TIMEOUT_MILLIS = 1_000;
    /** For the handshake and first frame, off the accepting thread. A busy member needs more than a moment. */
    private static final int HANDSHAKE_TIMEOUT_MILLIS = 5_000;
    /** Members send heartbeats, so a silent connection belongs to a stranger, and occupies a thread. */
    private static final int IDLE_TIMEOUT_MILLIS = 60_000;

    /** The tasks of an idle member need one or two threads. */
    private static final int WORKER_IDLE_MILLIS = 2_000;

    private static final int JOIN_TIMEOUT_MILLIS = 1_000;
    private static final int LEAVE_TIMEOUT_MILLIS = 1_000;
    private static final int VERIFY_TIMEOUT_MILLIS = 1_000;
    private static final int MERGE_MIN_INTERVAL_MILLIS = 1_000;
    private static final int MERGE_MAX_INTERVAL_MILLIS = 3_000;
    private static final int HEARTBEATS_IN_TIMEOUT = 4;

    private final GroupSettings settings;
    private final UnaryOperator<List<Protocol>> adaptation;
    private final Candidates candidates = new Candidates();
    private volatile @Nullable JChannel channel;
    private volatile @Nullable JGroupsTransport transport;
    private volatile Map<NodeId, Address> members = Map.of();

    @GuardedBy("this")
    private boolean closed;

    public JGroupsChannel(GroupSettings settings) {
        this(settings, UnaryOperator.identity());
    }

    /** @param adaptation adds protocols to the stack, for tests that cut connections */
    JGroupsChannel(GroupSettings settings, UnaryOperator<List<Protocol>> adaptation) {
        this.settings = settings;
        this.adaptation = adaptation;
    }

    @Override
    public void join(Listener listener) {
        JChannel opened = open(listener);
        try {
            opened.connect(GROUP);
        } catch (Exception e) {
            close();
            throw failure(e);
        }
    }

    private synchronized JChannel open(Listener listener) {
        if (closed || channel != null) {
            throw new IllegalStateException("The channel of " + settings.self() + " was used before; make another one");
        }
        closed = true;
        try {
            requireOwn(settings.bind().getAddress());
            JChannel opened = new JChannel(adaptation.apply(stack()));
            opened.setName(settings.self().toString());
            opened.addAddressGenerator(new MemberAddresses(settings.self()));
            opened.setReceiver(new Delivery(listener));
            channel = opened;
            closed = false;
            return opened;
        } catch (CairnException e) {
            throw e;
        } catch (Exception e) {
            throw failure(e);
        }
    }

    private void requireOwn(InetAddress address) throws SocketException {
        if (!address.isAnyLocalAddress() && !isOwn(address)) {
            throw GroupChannel.unbindable(settings.bind(), new BindException("Cannot assign requested address"));
        }
    }

    private static boolean isOwn(InetAddress address) throws SocketException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }

    /**
     * The local address for connections to others, so that firewalls know it on a machine with several. Null, for the choice of the
     * system, where the own address is that of a container's host.
     */
    private @Nullable InetAddress source() throws SocketException {
        InetAddress bound = settings.bind().getAddress();
        if (!bound.isAnyLocalAddress()) {
            return bound;
        }
        return isOwn(settings.advertised()) ? settings.advertised() : null;
    }

    private CairnException failure(Exception cause) {
        InetSocketAddress bind = settings.bind();
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof BindException) {
                return GroupChannel.unbindable(bind, each);
            }
        }
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "The group of nodes cannot be joined at "
                        + MemberAddress.join(bind.getAddress().getHostAddress(), bind.getPort()) + ": " + cause,
                cause);
    }

    private List<Protocol> stack() throws SocketException {
        JGroupsTransport transport = new JGroupsTransport(new FrameCipher(settings.key()));
        this.transport = transport;
        transport.setBindAddr(settings.bind().getAddress());
        transport.setBindPort(settings.bind().getPort());
        transport.setPortRange(0);
        if (!settings.advertised().equals(settings.bind().getAddress())) {
            transport.setExternalAddr(settings.advertised());
        }
        transport.setClientBindAddr(source());
        transport.setRecvBufSize(SOCKET_BUFFER_BYTES);
        transport.setSendBufSize(SOCKET_BUFFER_BYTES);
        transport.setSockConnTimeout(CONNECT_TIMEOUT_MILLIS);
        transport.setPeerAddrReadTimeout(HANDSHAKE_TIMEOUT_MILLIS);
        transport.setMaxLength(MAX_FRAME_BYTES);
        transport.setConnExpireTime(IDLE_TIMEOUT_MILLIS);
        transport.setReaperInterval(IDLE_TIMEOUT_MILLIS / 2);
        transport.enableSuspectEvents(true);
        // The bundler collects small messages itself; the system would hold back a second one for up to 40 ms.
        transport.tcpNodelay(true);
        transport.logDetails(false);
        transport.useVirtualThreads(false);
        transport.setBundlerType("transfer-queue");
        transport.getThreadPool().setKeepAliveTime(WORKER_IDLE_MILLIS);

        MERGE3 merge = new MERGE3();
        merge.setMaxInterval(MERGE_MAX_INTERVAL_MILLIS);
        merge.setMinInterval(MERGE_MIN_INTERVAL_MILLIS);
        FD_ALL3 failures = new FD_ALL3();
        failures.setTimeout(settings.failureTimeout().toMillis());
        failures.setInterval(settings.failureTimeout().toMillis() / HEARTBEATS_IN_TIMEOUT);
        VERIFY_SUSPECT2 suspicion = new VERIFY_SUSPECT2();
        suspicion.setTimeout(VERIFY_TIMEOUT_MILLIS);
        GMS membership = new GMS();
        membership.setJoinTimeout(JOIN_TIMEOUT_MILLIS);
        membership.setLeaveTimeout(LEAVE_TIMEOUT_MILLIS);
        membership.printLocalAddress(false);
        UFC unicasts = new UFC();
        unicasts.setMaxBlockTime(CREDIT_REQUEST_MILLIS);
        unicasts.setMaxCredits(CREDIT_BYTES);
        unicasts.setMinThreshold(CREDIT_THRESHOLD);
        MFC multicasts = new MFC();
        multicasts.setMaxCredits(CREDIT_BYTES);
        multicasts.setMinThreshold(CREDIT_THRESHOLD);
        FRAG2 fragments = new FRAG2();
        fragments.setFragSize(FRAGMENT_BYTES);
        return List.of(
                transport,
                candidates,
                merge,
                failures,
                suspicion,
                new NAKACK2(),
                new UNICAST3(),
                new STABLE(),
                membership,
                unicasts,
                multicasts,
                fragments);
    }

    @Override
    public void send(NodeId to, byte[] message) {
        JChannel joined = channel;
        // The first view arrives, and may be answered, before the join has returned.
        if (joined == null || !(joined.isConnected() || joined.isConnecting())) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The channel of " + settings.self() + " is not a member of the group");
        }
        Address receiver = members.get(to);
        if (receiver == null) {
            log.debug("Dropped a message to {}, which is not in the present view", to);
            return;
        }
        try {
            joined.send(new BytesMessage(receiver, message));
        } catch (Exception e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "A message of " + message.length + " bytes cannot be sent to " + to + ": " + e,
                    e);
        }
    }

    @Override
    public void hosts(Collection<InetSocketAddress> hosts) {
        candidates.replace(hosts);
    }

    @Override
    public Set<InetSocketAddress> otherKeys() {
        JGroupsTransport opened = transport;
        return opened == null ? Set.of() : opened.otherKeys();
    }

    @Override
    public void close() {
        JChannel joined;
        synchronized (this) {
            closed = true;
            joined = channel;
        }
        if (joined != null) {
            joined.close();
        }
    }

    private static @Nullable NodeId node(@Nullable Address member) {
        byte[] encoded = member instanceof ExtendedUUID carrier ? carrier.get(NODE) : null;
        if (encoded == null) {
            return null;
        }
        try {
            return NodeIdBytes.decode(encoded);
        } catch (IllegalArgumentException e) {
            log.debug("The address of a member carries no node: {}", e.getMessage());
            return null;
        }
    }

    private static String print(ExtendedUUID member) {
        NodeId node = node(member);
        return node == null ? member.print() : node.toString();
    }

    private final class Delivery implements Receiver {

        private final Listener listener;

        Delivery(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void viewAccepted(View view) {
            Map<NodeId, Address> present = new LinkedHashMap<>();
            for (Address member : view.getMembers()) {
                NodeId node = node(member);
                if (node == null) {
                    log.warn("The member {} of the group is not a node of Cairn and is passed over", member);
                } else {
                    present.put(node, member);
                }
            }
            members = Map.copyOf(present);
            GroupView seen =
                    new GroupView(view.getViewId().getId(), List.copyOf(present.keySet()), view instanceof MergeView);
            try {
                listener.view(seen);
            } catch (RuntimeException e) {
                log.error("The view {} was not processed; the next one is delivered as usual", seen, e);
            }
        }

        @Override
        public void receive(Message message) {
            NodeId from = node(message.getSrc());
            if (from == null || !message.hasArray()) {
                log.debug("Dropped a message of {}, which is not a node of Cairn", message.getSrc());
                return;
            }
            byte[] bytes = message.getArray();
            if (message.getOffset() != 0 || message.getLength() != bytes.length) {
                bytes = Arrays.copyOfRange(bytes, message.getOffset(), message.getOffset() + message.getLength());
            }
            try {
                listener.message(from, bytes);
            } catch (RuntimeException e) {
                log.error("A message of {} was not processed; the next one is delivered as usual", from, e);
            }
        }
    }

    private record MemberAddresses(NodeId self) implements AddressGenerator {

        @Override
        @SuppressWarnings("deprecation") // Abstract in JGroups; JGroups calls the variant with a name.
        public Address generateAddress() {
            return generateAddress(self.toString());
        }

        @Override
        public Address generateAddress(String name) {
            return ExtendedUUID.randomUUID(name).put(NODE, NodeIdBytes.encode(self));
        }
    }

    private static final class Candidates extends TCPPING {

        private volatile List<PhysicalAddress> hosts = List.of();

        Candidates() {
            setId(ClassConfigurator.getProtocolId(TCPPING.class));
            setPortRange(0);
            initial_hosts_set_programmatically = true;
            // A silent host must not delay requests to the others. The setter's signature changed within 5.5.
            async_discovery_use_separate_thread_per_request = true;
        }

        void replace(Collection<InetSocketAddress> candidates) {
            List<PhysicalAddress> resolved = new ArrayList<>();
            for (InetSocketAddress candidate : candidates) {
                if (!candidate.isUnresolved()) {
                    resolved.add(new IpAddress(candidate));
                }
            }
            hosts = List.copyOf(resolved);
        }

        @Override
        public void findMembers(List<Address> asked, boolean initial, Responses responses) {
            initial_hosts = hosts;
            super.findMembers(asked, initial, responses);
        }
    }
}
