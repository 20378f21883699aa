package io.cairn.server.naming.health;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Who is asked: the name that the instance goes by, and where that is. */
record Target(String host, InetSocketAddress address) {

    Target(String host, InetAddress address, int port) {
        this(host, new InetSocketAddress(address, port));
    }

    /** Host and port as they stand in a URL. */
    String authority() {
        return (NetUtil.isValidIpV6Address(host) ? '[' + host + ']' : host) + ':' + address.getPort();
    }
}
