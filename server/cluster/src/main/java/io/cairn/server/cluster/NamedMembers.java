package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The nodes of the source of addresses, resolved. Passes their group ports to the channel. */
final class NamedMembers implements AutoCloseable {

    private final MemberLookup lookup;
    private final HostResolver resolver;
    private final RowWitness witness;
    private final GroupChannel channel;
    private final MemberWatch watch;
    private volatile Map<MemberAddress, List<InetSocketAddress>> resolved = Map.of();

    NamedMembers(MemberLookup lookup, HostResolver resolver, RowWitness witness, GroupChannel channel, Clock clock) {
        this.lookup = lookup;
        this.resolver = resolver;
        this.witness = witness;
        this.channel = channel;
        this.watch = new MemberWatch(lookup, resolver, this::membersNamed, clock);
    }

    void start() {
        watch.start(MemberWatch.INTERVAL);
    }

    List<MemberAddress> all() {
        return watch.members().named();
    }

    String source() {
        return lookup.source();
    }

    private void membersNamed(KnownMembers members) {
        Map<MemberAddress, List<InetSocketAddress>> found = new HashMap<>();
        for (MemberAddress member : members.named()) {
            found.put(member, addresses(member.host(), member.groupPort()));
        }
        resolved = Map.copyOf(found);
        offerHosts();
    }

    /** Passes the group ports to the channel; rows of the database have ports other than the default. */
    void offerHosts() {
        Set<InetSocketAddress> hosts = new LinkedHashSet<>(watch.members().groupAddresses());
        resolved.values().forEach(hosts::addAll);
        for (NodeTable.Heartbeat each : witness.rows()) {
            NodeTable.Row row = each.row();
            named(row.node()).ifPresent(member -> {
                if (member.groupPort() != row.groupPort()) {
                    hosts.addAll(addresses(member.host(), row.groupPort()));
                }
            });
        }
        channel.hosts(hosts);
    }

    /** The addresses of nodes in {@code cairn_node} whose messages have another key. */
    Set<String> otherKeys() {
        Set<InetSocketAddress> refused = channel.otherKeys();
        Set<String> nodes = new HashSet<>();
        for (NodeTable.Heartbeat each : refused.isEmpty() ? List.<NodeTable.Heartbeat>of() : witness.rows()) {
            if (refused.stream().anyMatch(port -> isGroupPort(port, each.row()))) {
                nodes.add(each.row().node().address());
            }
        }
        return nodes;
    }

    private boolean isGroupPort(InetSocketAddress port, NodeTable.Row row) {
        String address = MemberAddress.join(
                port.getAddress().getHostAddress(), row.node().httpPort());
        return port.getPort() == row.groupPort()
                && (address.equals(row.node().address())
                        || named(row.node())
                                .map(member -> isSame(member, address))
                                .orElse(false));
    }

    private List<InetSocketAddress> addresses(String host, int port) {
        try {
            return resolver.resolve(host).stream()
                    .map(address -> new InetSocketAddress(address, port))
                    .toList();
        } catch (UnknownHostException e) {
            // The watch of the members has logged it.
            return List.of();
        }
    }

    /** The address in the view of a node that the source names, perhaps by host; or empty. */
    Optional<String> nameInView(MemberAddress member, Collection<NodeId> view) {
        return view.stream()
                .map(NodeId::address)
                .filter(address -> isSame(member, address))
                .findFirst();
    }

    private Optional<MemberAddress> named(NodeId node) {
        return resolved.keySet().stream()
                .filter(member -> isSame(member, node.address()))
                .findFirst();
    }

    private boolean isSame(MemberAddress member, String address) {
        if (member.toString().equals(address)) {
            return true;
        }
        List<InetSocketAddress> known = resolved.get(member);
        return known != null
                && known.stream()
                        .anyMatch(each -> MemberAddress.join(each.getAddress().getHostAddress(), member.httpPort())
                                .equals(address));
    }

    @Override
    public void close() {
        watch.close();
    }
}
