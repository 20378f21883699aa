package io.cairn.server.subscription;

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

    /** A watcher that can say who it is. */
    public interface Described {
        Subscriber describe(String clusters);
    }
}
