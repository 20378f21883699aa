package io.cairn.server.connection;

import io.cairn.server.gray.GrayClient;
import io.cairn.server.sdk.Sdk;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A client's unverified description at the set-up.
 *
 * @param clientIp the claimed address, else its remote one
 * @param version of its SDK with its name, or empty
 * @param tenant its namespace in its own form, or empty
 * @param sdk behavior of that SDK
 */
public record ClientIdentity(String clientIp, String version, String tenant, Map<String, String> labels, Sdk sdk) {

    private static final int MAX_TEXT = 256;
    private static final int MAX_LABELS = 64;

    public ClientIdentity {
        // The texts live as long as the connection, so their length is limited.
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

    /**
     * The client as gray releases see it.
     *
     * @param tag that it sends with its request, or null
     */
    public GrayClient reader(@Nullable String tag) {
        return new GrayClient(clientIp, tag, labels, null);
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }
}
