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

/** Finds the address of this machine for other machines. Blocks on DNS. */
final class OwnAddress {

    private static final Log log = LogFactory.getLog(OwnAddress.class);

    private OwnAddress() {}

    record Candidate(InetAddress address, int index, boolean loopback) {}

    /**
     * The local address of the route to the first server on another machine, otherwise the best address of the oldest
     * interface, because container bridges are created later.
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

    /** Null when the server is on this machine or unreachable. */
    private static @Nullable InetAddress localEnd(ServerAddress server) {
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress there = InetAddress.getByName(server.host());
            if (there.isLoopbackAddress()) {
                return null;
            }
            // Sends nothing; the system only selects a route.
            socket.connect(new InetSocketAddress(there, server.grpcPort()));
            InetAddress local = socket.getLocalAddress();
            return local.isAnyLocalAddress() || local.isLoopbackAddress() ? null : local;
        } catch (IOException | RuntimeException e) {
            log.debug("No way to " + server.host() + " is known", e);
            return null;
        }
    }

    /** Prefers IPv4, and uses loopback last. */
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
