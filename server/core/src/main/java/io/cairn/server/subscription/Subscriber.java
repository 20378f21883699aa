package io.cairn.server.subscription;

import java.util.Comparator;

/**
 * A subscriber in lists.
 *
 * @param clientId the connection's or HTTP client's id
 * @param port 0 if unknown
 * @param agent name and version of its SDK
 * @param app as reported
 * @param clusters comma-separated names; empty for all
 */
public record Subscriber(String clientId, String ip, int port, String agent, String app, String clusters) {

    /** By address, then by the other fields. */
    public static final Comparator<Subscriber> BY_ADDRESS = Comparator.comparing(Subscriber::ip)
            .thenComparingInt(Subscriber::port)
            .thenComparing(Subscriber::agent)
            .thenComparing(Subscriber::app)
            .thenComparing(Subscriber::clusters);

    /** Equal for all clients with the same description. */
    public Subscriber withoutClient() {
        return new Subscriber("", ip, port, agent, app, clusters);
    }

    /** A watcher that can describe its client. */
    public interface Described {
        Subscriber describe(String clusters);
    }
}
