package io.cairn.server.naming;

import java.util.Map;

/**
 * The health check of a cluster's instances.
 *
 * @param healthChecker as operators' JSON object
 * @param checkPort the port without {@code useInstancePort}
 * @param useInstancePort whether to check each instance's own port
 */
public record ClusterSettings(
        String healthChecker, int checkPort, boolean useInstancePort, Map<String, String> metadata) {

    /** TCP at the instance's own port. */
    public static final ClusterSettings DEFAULT = new ClusterSettings("{\"type\":\"TCP\"}", 80, true, Map.of());

    public ClusterSettings {
        metadata = Map.copyOf(metadata);
    }

    /** 0 where nothing can listen, so there is no check. */
    public int checkedPort(int instancePort) {
        return useInstancePort ? instancePort : checkPort;
    }
}
