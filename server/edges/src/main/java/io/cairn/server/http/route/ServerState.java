package io.cairn.server.http.route;

import java.util.Map;
import org.jspecify.annotations.Nullable;

public interface ServerState {

    /** Why requests cannot be served, or null. */
    @Nullable
    String notReadyBecause();

    /** Settings for consoles and clients, as texts; values may be null. */
    Map<String, @Nullable String> settings();
}
