package io.cairn.client.naming;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The consumers after a {@linkplain Registration#drain drain's} wait.
 *
 * @param subscribers with the list without the instances
 * @param waiting without it
 * @param silentServers without an answer
 * @param byServer false for weight 0 at a server without drains
 */
public record DrainResult(
        boolean acknowledged, int subscribers, List<Waiting> waiting, List<String> silentServers, boolean byServer) {

    static final DrainResult WITHOUT_SERVER = new DrainResult(false, 0, List.of(), List.of(), false);

    public DrainResult {
        waiting = List.copyOf(waiting);
        silentServers = List.copyOf(silentServers);
    }

    /**
     * @param kind {@code grpc}, {@code udp}, {@code http} or {@code xds}
     * @param reason its refusal, or empty
     */
    public record Waiting(
            String kind, String id, String address, String app, String agent, String server, String reason) {

        @Override
        public String toString() {
            return address + " (" + kind + ", " + app + ", " + agent + (reason.isEmpty() ? "" : ", " + reason) + ')';
        }
    }

    DrainResult and(DrainResult other) {
        List<Waiting> all = new ArrayList<>(waiting);
        other.waiting.stream().filter(each -> !all.contains(each)).forEach(all::add);
        List<String> silent = new ArrayList<>(silentServers);
        other.silentServers.stream().filter(each -> !silent.contains(each)).forEach(silent::add);
        return new DrainResult(
                acknowledged && other.acknowledged,
                Math.max(subscribers, other.subscribers),
                all,
                silent,
                byServer && other.byServer);
    }

    @Override
    public String toString() {
        if (acknowledged) {
            return "acknowledged by " + subscribers + " consumers";
        }
        if (!byServer) {
            return "the server knows no drains; the weight is 0";
        }
        String without = waiting.stream().map(Waiting::toString).collect(Collectors.joining(", "));
        return "acknowledged by " + subscribers + " consumers, not by " + waiting.size()
                + (without.isEmpty() ? "" : ": " + without)
                + (silentServers.isEmpty() ? "" : "; without an answer: " + String.join(", ", silentServers));
    }
}
