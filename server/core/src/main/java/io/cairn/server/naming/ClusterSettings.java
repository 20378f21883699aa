package io.cairn.server.naming;

import java.util.Map;

/**
 * How the instances of one cluster are checked. Immutable.
 *
 * @param healthChecker the checker as the JSON object that operators write
 * @param checkPort the port to check where it is not the instance's own
 * @param useInstancePort whether each instance is checked at its own port
 */
public record ClusterSettings(
        String healthChecker, int checkPort, boolean useInstancePort, Map<String, String> metadata) {

    /** TCP at the instance's own port. */
    public static final ClusterSettings DEFAULT = new ClusterSettings("{\"type\":\"TCP\"}", 80, true, Map.of());

    public ClusterSettings {
        metadata = Map.copyOf(metadata);
    }

    /** The port at which an instance is checked; 0 where nothing can listen, and so nothing is checked. */
    int checkedPort(int instancePort) {
        return useInstancePort ? instancePort : checkPort;
    }
}
