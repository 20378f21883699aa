package io.cairn.client.internal;

import io.cairn.client.connection.ServerAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The servers, and in which order to try them. Not thread-safe. */
final class ServerList {

    private final List<ServerAddress> servers;
    private int next;

    /** Clients begin with different ones, so that not all stand at the first. */
    ServerList(List<ServerAddress> servers, RandomGenerator random) {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("servers: none (expected: at least one)");
        }
        this.servers = List.copyOf(servers);
        this.next = random.nextInt(servers.size());
    }

    /** All of them, in the order for this round. */
    List<ServerAddress> round() {
        List<ServerAddress> round = new ArrayList<>(servers);
        Collections.rotate(round, -next);
        return round;
    }

    /** That one is in use: should it fail, the one after it is next. */
    void use(ServerAddress server) {
        next = (servers.indexOf(server) + 1) % servers.size();
    }

    /** A round that begins with the server at that address, if there is one. */
    List<ServerAddress> roundFrom(@Nullable String ip, @Nullable String port) {
        List<ServerAddress> round = round();
        ServerAddress first = find(ip, port);
        if (first != null && round.remove(first)) {
            round.add(0, first);
        }
        return round;
    }

    boolean knows(@Nullable String ip, @Nullable String port) {
        return find(ip, port) != null;
    }

    private @Nullable ServerAddress find(@Nullable String ip, @Nullable String port) {
        for (ServerAddress server : servers) {
            if (server.host().equals(ip) && (port == null || port.equals(Integer.toString(server.port())))) {
                return server;
            }
        }
        return null;
    }

    int size() {
        return servers.size();
    }
}
