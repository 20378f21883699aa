package io.cairn.server.naming.health;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** @param host as registered */
record Target(String host, InetSocketAddress address) {

    Target(String host, InetAddress address, int port) {
        this(host, new InetSocketAddress(address, port));
    }

    /** Host and port as in a URL. */
    String authority() {
        return (NetUtil.isValidIpV6Address(host) ? '[' + host + ']' : host) + ':' + address.getPort();
    }
}
