package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a node names itself and finds the others, found out before it opens anything.
 *
 * @param host its address without the port
 */
public record NodeIdentity(NodeId self, String host, int groupPort, MemberLookup lookup) {

    /**
     * Blocks to read the list and to look up host names.
     *
     * @param configuration the folder of {@code cluster.conf}
     * @param groupPort 0 for the usual one
     * @param startedAt epoch milliseconds
     * @throws CairnException {@code INVALID_PARAMETER} in one line for settings with which a node cannot be part of a cluster
     */
    public static NodeIdentity find(
            LookupSettings settings,
            Path configuration,
            int httpPort,
            int groupPort,
            NodeTable nodes,
            OwnAddress address,
            HostResolver resolver,
            long startedAt) {
        MemberLookup lookup = settings.lookup(configuration, httpPort, nodes, resolver);
        List<MemberAddress> listed = lookup.isComplete() ? read(lookup) : List.of();
        String host = address.find(listed, httpPort);
        MemberAddress self = MemberAddress.of(host, httpPort);
        if (lookup.isComplete()) {
            StartCheck check = new StartCheck(resolver);
            check.requireSelf(lookup.source(), listed, self);
            check.requireDistinctPorts(lookup.source(), listed);
        }
        return new NodeIdentity(
                new NodeId(self.toString(), startedAt), host, groupPort == 0 ? self.groupPort() : groupPort, lookup);
    }

    private static List<MemberAddress> read(MemberLookup lookup) {
        try {
            return lookup.read();
        } catch (IOException e) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Where the group port listens.
     *
     * @param bindAddress null for the own address
     * @throws CairnException {@code INVALID_PARAMETER} if the host is not known
     */
    public InetSocketAddress bind(@Nullable String bindAddress, HostResolver resolver) {
        return bindAddress == null
                ? new InetSocketAddress(advertised(resolver), groupPort)
                : new InetSocketAddress(resolve("cairn.cluster.bind-address", bindAddress, resolver), groupPort);
    }

    /**
     * The address that the other nodes connect to.
     *
     * @throws CairnException {@code INVALID_PARAMETER} if the host is not known
     */
    public InetAddress advertised(HostResolver resolver) {
        return resolve("The own address", host, resolver);
    }

    private static InetAddress resolve(String what, String host, HostResolver resolver) {
        try {
            return resolver.resolve(host).get(0);
        } catch (UnknownHostException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    what + ": '" + host + "' cannot be looked up (" + e.getMessage()
                            + "): set nacos.inetutils.ip-address, or make the name known",
                    e);
        }
    }
}
