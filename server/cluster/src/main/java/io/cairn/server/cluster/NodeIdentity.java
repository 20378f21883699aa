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
 * The own address of a node and its source of others, known before it opens a port.
 *
 * @param host without the port
 */
public record NodeIdentity(NodeId self, String host, int groupPort, MemberLookup lookup) {

    private static final String OWN_ADDRESS = "The own address";

    /**
     * Blocks to read the list and to resolve names.
     *
     * @param configuration the folder of {@code cluster.conf}
     * @param groupPort 0 for the default
     * @param startedAt epoch milliseconds
     * @throws CairnException {@code INVALID_PARAMETER}, in one line, for settings that no node of a cluster can have
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

    /**
     * The future address of the group port. Needs no database, so a start with a taken port ends before it opens one. Else as
     * {@link #find} and {@link #bind}.
     */
    public static InetSocketAddress groupAddress(
            LookupSettings settings,
            Path configuration,
            int httpPort,
            int groupPort,
            @Nullable String bindAddress,
            OwnAddress address,
            HostResolver resolver) {
        MemberLookup listed = settings.listed(configuration, httpPort);
        String host = address.find(listed == null ? List.of() : read(listed), httpPort);
        int port = groupPort == 0 ? MemberAddress.of(host, httpPort).groupPort() : groupPort;
        return bind(host, port, bindAddress, resolver);
    }

    private static List<MemberAddress> read(MemberLookup lookup) {
        try {
            return lookup.read();
        } catch (IOException e) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The address of the group port.
     *
     * @param bindAddress null for the own address
     * @throws CairnException {@code INVALID_PARAMETER} for an unknown host
     */
    public InetSocketAddress bind(@Nullable String bindAddress, HostResolver resolver) {
        return bind(host, groupPort, bindAddress, resolver);
    }

    private static InetSocketAddress bind(
            String host, int groupPort, @Nullable String bindAddress, HostResolver resolver) {
        InetAddress address = bindAddress == null
                ? resolve(OWN_ADDRESS, host, resolver)
                : resolve("cairn.cluster.bind-address", bindAddress, resolver);
        return new InetSocketAddress(address, groupPort);
    }

    /**
     * The address for other nodes.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for an unknown host
     */
    public InetAddress advertised(HostResolver resolver) {
        return resolve(OWN_ADDRESS, host, resolver);
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
