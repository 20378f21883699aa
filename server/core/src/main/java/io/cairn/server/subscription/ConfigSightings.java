package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.connection.ClientConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Receives the observations of clients and their configurations. By any thread; returns at once, and never fails. */
public interface ConfigSightings {

    /** Keeps nothing. */
    ConfigSightings NONE = new ConfigSightings() {

        @Override
        public void listened(
                ClientConnection connection, List<ConfigKey> keys, List<? extends @Nullable ContentDigest> held) {}

        @Override
        public void notified(ClientConnection connection, ConfigKey key) {}

        @Override
        public void followed(ClientConnection connection, ConfigKey key, @Nullable ContentDigest digest) {}

        @Override
        public void behind(ClientConnection connection, ConfigKey key, @Nullable ContentDigest digest) {}
    };

    /**
     * A client begins to listen over that connection.
     *
     * @param keys not changed later, as {@code held}
     * @param held the contents that it reports, in the order of the keys; null without a content
     */
    void listened(ClientConnection connection, List<ConfigKey> keys, List<? extends @Nullable ContentDigest> held);

    /** A notification of a change was sent. */
    void notified(ClientConnection connection, ConfigKey key);

    /** A client has another content than before, by its reports or reads. */
    void followed(ClientConnection connection, ConfigKey key, @Nullable ContentDigest digest);

    /** A client has not followed a change in time. */
    void behind(ClientConnection connection, ConfigKey key, @Nullable ContentDigest digest);
}
