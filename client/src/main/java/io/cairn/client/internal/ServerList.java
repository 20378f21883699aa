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
 * The servers, in which order to try them, and which of them not to try yet: an address that has failed backs off by itself, so
 * a server that is gone does not hold up the way to the others. Each client has an order of its own; the clients of a server that
 * ends are spread over all others. Thread-safe.
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

    /** The attempts at one address and their failures; used with the lock of the list held. */
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

    /** Takes that list in the place of the present one; false when it says the same. */
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

    /** All of them, in the order in which they were given. */
    synchronized List<ServerAddress> all() {
        return servers;
    }

    /** Those that do not back off, in the order for this round. */
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

    /** How long all of them back off; zero when one of them may be tried now, or there is none. */
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

    /** That one cannot be used at present: it backs off, for longer each time. */
    synchronized void failed(ServerAddress server, CairnException why) {
        if (servers.contains(server)) {
            Attempts of = of(server);
            of.failure = why;
            of.backOff(nanoTime.getAsLong());
        }
    }

    /** That one is in use: should it fail, the one after it is next. */
    synchronized void use(ServerAddress server) {
        next = order.isEmpty() ? 0 : (order.indexOf(server) + 1) % order.size();
        attempts.values().forEach(each -> each.failure = null);
    }

    /**
     * The connection to that one has ended.
     *
     * @param proved whether it has lived long enough to show that the server can be used; otherwise the server backs off
     */
    synchronized void lost(ServerAddress server, boolean proved) {
        if (proved) {
            attempts.remove(server);
        } else if (servers.contains(server)) {
            of(server).backOff(nanoTime.getAsLong());
        }
    }

    /** Why none can be used; empty while one of them has not failed since the last connection. */
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
     * Where a client may go that is asked to leave a server: first to the one that is named, which need not be due. A list of
     * one, such as the address of a load balancer, leads there again. Looks host names up, so it may block.
     *
     * @param ip of the server that is named; null or empty for any other. One that is not in the list does not count: the client
     *     may not reach it
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

    /** Servers name themselves by an address, clients often by a name. */
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
