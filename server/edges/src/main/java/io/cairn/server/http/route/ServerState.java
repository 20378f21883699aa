package io.cairn.server.http.route;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The content of the state endpoints of all versions. */
public interface ServerState {

    /** Why requests cannot be served at the moment; null when they can. */
    @Nullable
    String notReadyBecause();

    /** The settings that consoles and clients look at, all of them texts; values may be null. */
    Map<String, @Nullable String> settings();
}
