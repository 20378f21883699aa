package io.cairn.server.xds.resource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A service's settings for xDS clients, in its metadata.
 *
 * @param connectTimeout to an instance
 * @param http2 whether the instances accept HTTP/2 only, as gRPC servers
 * @param metadataKeys sent metadata of instances, sorted
 * @param problems of invalid values, whose defaults apply
 */
record ServiceOptions(Duration connectTimeout, boolean http2, List<String> metadataKeys, List<String> problems) {

    static final String CONNECT_TIMEOUT = "xds.connect-timeout";
    static final String PROTOCOL = "xds.protocol";
    static final String METADATA_KEYS = "xds.metadata-keys";

    private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(1);
    private static final int MAX_DIGITS = 9;

    static ServiceOptions of(Map<String, String> serviceMetadata) {
        List<String> problems = new ArrayList<>(0);
        String timeoutText = serviceMetadata.get(CONNECT_TIMEOUT);
        Duration timeout = timeoutText == null ? DEFAULT_CONNECT_TIMEOUT : duration(timeoutText);
        if (timeout == null) {
            problems.add(CONNECT_TIMEOUT + ": '" + timeoutText + "' (expected: a time above 0, such as 500ms or 2s)");
            timeout = DEFAULT_CONNECT_TIMEOUT;
        }
        String protocol = serviceMetadata.getOrDefault(PROTOCOL, "");
        boolean http2 = protocol.equals("grpc") || protocol.equals("http2");
        if (!http2 && !protocol.isEmpty() && !protocol.equals("http1")) {
            problems.add(PROTOCOL + ": '" + protocol + "' (expected: grpc, http2 or http1)");
        }
        TreeSet<String> keys = new TreeSet<>();
        for (String key : serviceMetadata.getOrDefault(METADATA_KEYS, "").split(",", -1)) {
            if (!key.isBlank()) {
                keys.add(key.strip());
            }
        }
        return new ServiceOptions(timeout, http2, List.copyOf(keys), List.copyOf(problems));
    }

    private static @Nullable Duration duration(String text) {
        boolean millis = text.endsWith("ms");
        int digits = text.length() - (millis ? 2 : 1);
        if (!text.endsWith("s") || digits < 1 || digits > MAX_DIGITS) {
            return null;
        }
        for (int i = 0; i < digits; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        long number = Long.parseLong(text.substring(0, digits));
        return number == 0 ? null : millis ? Duration.ofMillis(number) : Duration.ofSeconds(number);
    }
}
