package io.cairn.server.cluster;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * The nodes that a source names, and where they are.
 *
 * @param named as the source names them
 * @param groupAddresses of their group ports, for {@link GroupChannel#hosts}; none for a host name that is not known at the moment
 */
public record KnownMembers(List<MemberAddress> named, List<InetSocketAddress> groupAddresses) {

    static final KnownMembers NONE = new KnownMembers(List.of(), List.of());

    public KnownMembers {
        named = List.copyOf(named);
        groupAddresses = List.copyOf(groupAddresses);
    }
}
