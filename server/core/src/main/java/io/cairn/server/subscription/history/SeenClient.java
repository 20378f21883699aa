package io.cairn.server.subscription.history;

import io.cairn.server.connection.ClientConnection;
import io.cairn.server.gray.GrayIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A client's description in its events.
 *
 * @param ip the claimed address
 * @param instance the label of its instance, or empty
 * @param sdk name and version of its SDK, or empty
 * @param connectionId empty for a client that polls
 */
public record SeenClient(String ip, String app, String instance, String sdk, String connectionId) {

    private static final int MOST_STATED = 256;

    /** A client that polls, which sends no labels. Its headers state the texts, which are cut. */
    public static SeenClient polling(String ip, String sdk) {
        return new SeenClient(cut(ip), "", "", cut(sdk), "");
    }

    private static String cut(String text) {
        return text.length() <= MOST_STATED ? text : text.substring(0, MOST_STATED);
    }

    static SeenClient of(ClientConnection connection) {
        return new SeenClient(
                connection.identity().clientIp(),
                connection.identity().labels().getOrDefault(GrayIdentity.APPLICATION, ""),
                GrayIdentity.instance(connection.identity().labels()),
                connection.identity().version(),
                connection.id());
    }

    /** Connections have unique ids, so the other parts add nothing to the hash. */
    @Override
    public int hashCode() {
        return connectionId.isEmpty() ? 31 * ip.hashCode() + sdk.hashCode() : connectionId.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof SeenClient that
                        && connectionId.equals(that.connectionId)
                        && ip.equals(that.ip)
                        && app.equals(that.app)
                        && instance.equals(that.instance)
                        && sdk.equals(that.sdk);
    }
}
