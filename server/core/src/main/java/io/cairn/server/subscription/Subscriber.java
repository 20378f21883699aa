package io.cairn.server.subscription;

import java.util.Comparator;

/**
 * Who subscribes to a service, for those who ask.
 *
 * @param clientId the connection's id, or that of an HTTP client
 * @param port 0 where the client has none of its own
 * @param agent name and version of its SDK
 * @param app the application it says it is
 * @param clusters names separated by commas; empty for all
 */
public record Subscriber(String clientId, String ip, int port, String agent, String app, String clusters) {

    /** By address, then by what else distinguishes subscribers. */
    public static final Comparator<Subscriber> BY_ADDRESS = Comparator.comparing(Subscriber::ip)
            .thenComparingInt(Subscriber::port)
            .thenComparing(Subscriber::agent)
            .thenComparing(Subscriber::app)
            .thenComparing(Subscriber::clusters);

    /** The same for every client that is described alike. */
    public Subscriber withoutClient() {
        return new Subscriber("", ip, port, agent, app, clusters);
    }

    /** A watcher that can say who it is. */
    public interface Described {
        Subscriber describe(String clusters);
    }
}
