package io.cairn.server.cluster;

import java.net.InetSocketAddress;
import java.util.List;

/** @param groupAddresses of their group ports, for {@link GroupChannel#hosts}, without unresolved hosts */
public record KnownMembers(List<MemberAddress> named, List<InetSocketAddress> groupAddresses) {

    static final KnownMembers NONE = new KnownMembers(List.of(), List.of());

    public KnownMembers {
        named = List.copyOf(named);
        groupAddresses = List.copyOf(groupAddresses);
    }
}
