package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Refuses, in one line, settings that no node of a cluster can have. Blocks to resolve names. */
public final class StartCheck {

    private static final int SPACING = 10;

    private final HostResolver resolver;

    public StartCheck(HostResolver resolver) {
        this.resolver = resolver;
    }

    /**
     * @param platform the value of {@code spring.sql.init.platform}
     * @throws CairnException {@code INVALID_PARAMETER} for a store that nodes cannot share
     */
    public void requireSharedDatabase(boolean isShared, @Nullable String platform) {
        if (!isShared) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "Cluster mode needs a database server, which all nodes share, but spring.sql.init.platform is "
                            + (platform == null || platform.isBlank() ? "not set" : '\'' + platform + '\'')
                            + ": set it to mysql or postgresql, and db.url.0, or start with -m standalone");
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER} if the list lacks this node */
    public void requireSelf(String source, List<MemberAddress> members, MemberAddress self) {
        for (MemberAddress member : members) {
            if (member.httpPort() == self.httpPort() && isSameHost(member.host(), self.host())) {
                return;
            }
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                source + " does not name this node, " + self + ", but " + join(members)
                        + ": add this node on every node, or set nacos.inetutils.ip-address and server.port to what is named");
    }

    /** @throws CairnException {@code INVALID_PARAMETER} if two nodes of one host need the same port */
    public void requireDistinctPorts(String source, List<MemberAddress> members) {
        for (int i = 0; i < members.size(); i++) {
            for (int j = i + 1; j < members.size(); j++) {
                MemberAddress first = members.get(i);
                MemberAddress second = members.get(j);
                if (isSameHost(first.host(), second.host())) {
                    requireDistinctPorts(source, members, first, second);
                }
            }
        }
    }

    private void requireDistinctPorts(
            String source, List<MemberAddress> members, MemberAddress first, MemberAddress second) {
        Map<Integer, String> ofSecond = ports(second);
        ports(first).forEach((port, use) -> {
            String other = ofSecond.get(port);
            if (other != null) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        source + ": " + first + " and " + second + " collide on one host: " + port + " is the port for "
                                + use + " of the first and for " + other + " of the second. Ports that are " + SPACING
                                + " apart work: " + spaced(members, first));
            }
        });
    }

    private static Map<Integer, String> ports(MemberAddress member) {
        Map<Integer, String> ports = new LinkedHashMap<>();
        ports.put(member.httpPort(), "HTTP");
        ports.put(member.httpPort() + MemberAddress.GRPC_OFFSET, "gRPC");
        ports.put(member.groupPort(), "other nodes");
        return ports;
    }

    /** As many ports as the host has nodes, from the lowest of theirs. */
    private String spaced(List<MemberAddress> members, MemberAddress first) {
        Set<Integer> there = members.stream()
                .filter(each -> isSameHost(each.host(), first.host()))
                .map(MemberAddress::httpPort)
                .collect(Collectors.toCollection(TreeSet::new));
        int lowest = there.stream().min(Integer::compare).orElse(first.httpPort());
        StringBuilder ports = new StringBuilder();
        for (int i = 0; i < Math.max(2, there.size()); i++) {
            ports.append(i == 0 ? "" : ", ").append(lowest + i * SPACING);
        }
        return ports.toString();
    }

    private boolean isSameHost(String one, String other) {
        if (one.equalsIgnoreCase(other)) {
            return true;
        }
        Set<InetAddress> common = new HashSet<>(addresses(one));
        common.retainAll(addresses(other));
        return !common.isEmpty();
    }

    /** Empty for an unknown name, which equals itself alone. */
    private Collection<InetAddress> addresses(String host) {
        try {
            return resolver.resolve(host);
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    private static String join(List<MemberAddress> members) {
        return members.isEmpty()
                ? "no node"
                : members.stream().map(MemberAddress::toString).collect(Collectors.joining(", "));
    }
}
