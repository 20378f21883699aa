package io.cairn.spring.discovery;

import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The address of this machine that others are likely to reach it at. Blocks to look up the names of servers. */
final class OwnAddress {

    private static final Log log = LogFactory.getLog(OwnAddress.class);

    private OwnAddress() {}

    /** An address, and what is known of the interface that has it. */
    record Candidate(InetAddress address, int index, boolean loopback) {}

    /**
     * The address that the way to the first of these servers begins with, which is on another machine; else that of the
     * interface that came first to this machine. Those of container bridges come later.
     */
    static String towards(List<ServerAddress> servers) {
        for (ServerAddress server : servers) {
            InetAddress local = localEnd(server);
            if (local != null) {
                return local.getHostAddress();
            }
        }
        InetAddress chosen = choose(candidates());
        if (chosen.isLoopbackAddress()) {
            log.warn("This machine has no address but that of loopback, at which no other machine reaches the"
                    + " application: set cairn.discovery.host");
        }
        String text = chosen.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    /** Null when the server is on this machine, or no way leads there. */
    private static @Nullable InetAddress localEnd(ServerAddress server) {
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress there = InetAddress.getByName(server.host());
            if (there.isLoopbackAddress()) {
                return null;
            }
            // Sends nothing: the system only decides which way it would take.
            socket.connect(new InetSocketAddress(there, server.grpcPort()));
            InetAddress local = socket.getLocalAddress();
            return local.isAnyLocalAddress() || local.isLoopbackAddress() ? null : local;
        } catch (IOException | RuntimeException e) {
            log.debug("No way to " + server.host() + " is known", e);
            return null;
        }
    }

    /** IPv4 before IPv6, and no loopback if there is anything else. */
    static InetAddress choose(List<Candidate> candidates) {
        return candidates.stream()
                .min(Comparator.comparing(Candidate::loopback)
                        .thenComparing(one -> one.address().isLinkLocalAddress())
                        .thenComparing(one -> !(one.address() instanceof Inet4Address))
                        .thenComparingInt(Candidate::index))
                .map(Candidate::address)
                .orElseGet(InetAddress::getLoopbackAddress);
    }

    private static List<Candidate> candidates() {
        List<Candidate> all = new ArrayList<>();
        try {
            for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (one.isUp()) {
                    for (InetAddress address : Collections.list(one.getInetAddresses())) {
                        all.add(new Candidate(address, one.getIndex(), one.isLoopback()));
                    }
                }
            }
        } catch (SocketException e) {
            log.warn("The network interfaces of this machine cannot be listed", e);
        }
        return all;
    }
}
