package io.cairn.server.connection;

import io.cairn.server.sdk.Sdk;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The data that a client sends about itself when it sets up its connection. The server does not verify it.
 *
 * @param clientIp the address that the client names, or its remote address if it names none
 * @param version name and version of its SDK; empty if not given
 * @param tenant the namespace of the client, in its own spelling; empty if not given
 * @param sdk behavior of the SDK that {@code version} names
 */
public record ClientIdentity(String clientIp, String version, String tenant, Map<String, String> labels, Sdk sdk) {

    private static final int MAX_TEXT = 256;
    private static final int MAX_LABELS = 64;

    public ClientIdentity {
        // The texts are kept as long as the connection exists, so their length is limited.
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
