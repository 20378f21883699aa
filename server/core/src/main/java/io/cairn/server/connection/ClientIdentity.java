package io.cairn.server.connection;

import io.cairn.server.sdk.Sdk;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a client says about itself when it sets up its connection. Nothing of it is proof of anything.
 *
 * @param clientIp the address it names, or the one it connects from when it names none
 * @param version name and version of its SDK; empty when not given
 * @param tenant the namespace it works in, in its own spelling; empty when not given
 * @param sdk what {@code version} says of its behavior
 */
public record ClientIdentity(String clientIp, String version, String tenant, Map<String, String> labels, Sdk sdk) {

    private static final int MAX_TEXT = 256;
    private static final int MAX_LABELS = 64;

    public ClientIdentity {
        // Kept as long as the connection is: whatever a client says of itself must not cost much.
        clientIp = cut(clientIp);
        version = cut(version);
        tenant = cut(tenant);
        labels = labels.entrySet().stream()
                .limit(MAX_LABELS)
                .collect(Collectors.toUnmodifiableMap(
                        label -> cut(label.getKey()), label -> cut(label.getValue()), (first, second) -> first));
    }

    public ClientIdentity(String clientIp, String version, String tenant, Map<String, String> labels) {
        this(clientIp, version, tenant, labels, Sdk.of(version));
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }
}
