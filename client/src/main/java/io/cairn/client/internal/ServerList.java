package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.client.connection.ServerAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The servers, their order for attempts, and a backoff for each, so that a failed server does not delay attempts at the
 * others. Each client shuffles the order, so the clients of a stopped server spread over all others.
 */
final class ServerList {

    private final Random random;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private List<ServerAddress> servers = List.of();

    @GuardedBy("this")
    private List<ServerAddress> order = List.of();

    @GuardedBy("this")
    private int next;

    @GuardedBy("this")
    private final Map<ServerAddress, Attempts> attempts = new HashMap<>();

    private static final class Attempts {

        private final Backoff backoff;
        private long notBeforeNanos;
        private boolean waits;
        private @Nullable CairnException failure;

        Attempts(Random random) {
            backoff = new Backoff(random);
        }

        void backOff(long nowNanos) {
            waits = true;
            notBeforeNanos = nowNanos + backoff.next().toNanos();
        }

        long nanosLeft(long nowNanos) {
            return waits ? Math.max(0, notBeforeNanos - nowNanos) : 0;
        }
    }

    ServerList(List<ServerAddress> servers, Random random, LongSupplier nanoTime) {
        this.random = random;
        this.nanoTime = nanoTime;
        replace(servers);
    }

    /** Returns false when the lists are equal. */
    synchronized boolean replace(List<ServerAddress> now) {
        if (servers.equals(now)) {
            return false;
        }
        servers = List.copyOf(now);
        List<ServerAddress> shuffled = new ArrayList<>(servers);
        Collections.shuffle(shuffled, random);
        order = List.copyOf(shuffled);
        next = 0;
        attempts.keySet().retainAll(servers);
        return true;
    }

    synchronized List<ServerAddress> all() {
        return servers;
    }

    /** The servers that are not backing off, in the order for this round. */
    synchronized List<ServerAddress> due() {
        long now = nanoTime.getAsLong();
        List<ServerAddress> round = new ArrayList<>(order);
        Collections.rotate(round, -next);
        for (Iterator<ServerAddress> all = round.iterator(); all.hasNext(); ) {
            if (nanosLeft(all.next(), now) > 0) {
                all.remove();
            }
        }
        return round;
    }

    /** The time until a server may be tried; zero for an empty list. */
    synchronized Duration untilDue() {
        long now = nanoTime.getAsLong();
        long least = order.isEmpty() ? 0 : Long.MAX_VALUE;
        for (ServerAddress server : order) {
            least = Math.min(least, nanosLeft(server, now));
        }
        return Duration.ofNanos(least);
    }

    @GuardedBy("this")
    private long nanosLeft(ServerAddress server, long nowNanos) {
        Attempts of = attempts.get(server);
        return of == null ? 0 : of.nanosLeft(nowNanos);
    }

    @GuardedBy("this")
    private Attempts of(ServerAddress server) {
        return attempts.computeIfAbsent(server, same -> new Attempts(random));
    }

    synchronized void failed(ServerAddress server, CairnException why) {
        if (servers.contains(server)) {
            Attempts of = of(server);
            of.failure = why;
            of.backOff(nanoTime.getAsLong());
        }
    }

    /** Sets the first server of the next round, and clears the failures. */
    synchronized void use(ServerAddress server) {
        next = order.isEmpty() ? 0 : (order.indexOf(server) + 1) % order.size();
        attempts.values().forEach(each -> each.failure = null);
    }

    /** @param proved whether the connection lived long enough; otherwise the server backs off */
    synchronized void lost(ServerAddress server, boolean proved) {
        if (proved) {
            attempts.remove(server);
        } else if (servers.contains(server)) {
            of(server).backOff(nanoTime.getAsLong());
        }
    }

    /** The failures of all servers; empty when a server has not failed since the last connection. */
    synchronized List<CairnException> failures() {
        List<CairnException> all = new ArrayList<>();
        for (ServerAddress server : servers) {
            Attempts of = attempts.get(server);
            if (of != null && of.failure != null) {
                all.add(of.failure);
            }
        }
        return all.size() == servers.size() ? all : List.of();
    }

    /**
     * The servers to try when the client must leave {@code old}: first the recommended server, even during its backoff. A
     * list with one entry, such as a load balancer, leads to the same address. Resolves host names, so it may block.
     *
     * @param ip of the recommended server; ignored when the list does not contain it, because the client may not reach
     *     it
     */
    List<ServerAddress> forMove(ServerAddress old, @Nullable String ip, @Nullable String port) {
        List<ServerAddress> round = due();
        if (all().size() > 1 || !all().contains(old)) {
            round.remove(old);
        }
        ServerAddress named = ip == null || ip.isEmpty() ? null : find(old, ip, port);
        if (named != null) {
            round.remove(named);
            round.add(0, named);
        }
        return round;
    }

    private @Nullable ServerAddress find(ServerAddress old, String ip, @Nullable String port) {
        List<ServerAddress> possible = all().stream()
                .filter(server -> !server.equals(old))
                .filter(server -> port == null || port.isEmpty() || port.equals(Integer.toString(server.port())))
                .toList();
        for (ServerAddress server : possible) {
            if (server.host().equalsIgnoreCase(ip)) {
                return server;
            }
        }
        for (ServerAddress server : possible) {
            if (sameMachine(server.host(), ip)) {
                return server;
            }
        }
        return null;
    }

    /** Servers announce an IP address, and clients often configure a host name. */
    private static boolean sameMachine(String host, String ip) {
        try {
            InetAddress named = InetAddress.getByName(ip);
            for (InetAddress one : InetAddress.getAllByName(host)) {
                if (one.equals(named)) {
                    return true;
                }
            }
        } catch (UnknownHostException e) {
            System.getLogger("io.cairn.client")
                    .log(System.Logger.Level.DEBUG, host + " or " + ip + " cannot be looked up", e);
        }
        return false;
    }
}
