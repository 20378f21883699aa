package io.cairn.client.internal;

import io.cairn.api.config.Namespace;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a connection.
 *
 * @param tls null for plain text
 * @param timeout for each step of connecting
 */
public record Setup(
        Namespace namespace,
        Map<String, String> labels,
        @Nullable SSLSocketFactory tls,
        Duration timeout,
        int maxMessageBytes) {

    public Setup {
        labels = Map.copyOf(labels);
    }
}
