package io.cairn.server.subscription;

import java.util.Comparator;

/**
 * A subscriber of a service, as lists show it.
 *
 * @param clientId the connection's id, or that of an HTTP client
 * @param port 0 if the client has none
 * @param agent name and version of its SDK
 * @param app the application name that the client reports
 * @param clusters names separated by commas; empty for all
 */
public record Subscriber(String clientId, String ip, int port, String agent, String app, String clusters) {

    /** By address, then by the other fields. */
    public static final Comparator<Subscriber> BY_ADDRESS = Comparator.comparing(Subscriber::ip)
            .thenComparingInt(Subscriber::port)
            .thenComparing(Subscriber::agent)
            .thenComparing(Subscriber::app)
            .thenComparing(Subscriber::clusters);

    /** A copy without the client's id, equal for all clients with the same description. */
    public Subscriber withoutClient() {
        return new Subscriber("", ip, port, agent, app, clusters);
    }

    /** A watcher that can describe its client. */
    public interface Described {
        Subscriber describe(String clusters);
    }
}
