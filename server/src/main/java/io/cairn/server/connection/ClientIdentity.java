package io.cairn.server.connection;

import java.util.Map;

/**
 * What a client says about itself when it sets up its connection. Nothing of it is proof of anything.
 *
 * @param clientIp the address it names, or the one it connects from when it names none
 * @param version name and version of its SDK; empty when not given
 * @param tenant the namespace it works in, in its own spelling; empty when not given
 */
public record ClientIdentity(String clientIp, String version, String tenant, Map<String, String> labels) {

    public ClientIdentity {
        labels = Map.copyOf(labels);
    }
}
