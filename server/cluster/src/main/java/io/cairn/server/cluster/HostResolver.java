package io.cairn.server.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

@FunctionalInterface
public interface HostResolver {

    /** The resolver of the JVM. Blocks on the name server; caches answers for 30 s by default. */
    HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    /** @throws UnknownHostException for an unknown name, or without an answer of the name server */
    List<InetAddress> resolve(String host) throws UnknownHostException;
}
