package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes that the source of addresses names, with what their names resolve to. The group channel is given their group ports.
 * Thread-safe.
 */
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

    /** The nodes as the source names them. */
    List<MemberAddress> all() {
        return watch.members().named();
    }

    /** The source, in words. */
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

    /** Gives the channel the group ports of the nodes; a row in the database knows a port that is not the usual one. */
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

    /** The address under which a node that the source names is in the view; empty when it is not. A source may name hosts. */
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
