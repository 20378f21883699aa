package io.cairn.server.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Looks up the addresses of a host name, or reads those of an IP address. */
@FunctionalInterface
public interface HostResolver {

    /** That of the Java runtime. Blocks on the name server; remembers answers for 30 seconds, unless set otherwise. */
    HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    /** @throws UnknownHostException if there is no such name, or the name server does not answer */
    List<InetAddress> resolve(String host) throws UnknownHostException;
}
