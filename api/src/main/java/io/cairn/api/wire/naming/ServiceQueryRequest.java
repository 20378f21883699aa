package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * Queries the instances of a service.
 *
 * @param clusters separated by commas; null or empty for all clusters
 */
public record ServiceQueryRequest(
        ServiceName service, @Nullable String clusters, boolean healthyOnly) {

    public static ServiceQueryRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        String clusters = null;
        boolean healthyOnly = false;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                // The Go SDK sends the plural.
                case "cluster", "clusters" -> clusters = in.text();
                case "healthyOnly" -> healthyOnly = in.flag(false);
                default -> in.skip();
            }
        }
        return new ServiceQueryRequest(service.toName(), clusters, healthyOnly);
    }

    public byte[] toJson() {
        return service.fields(256)
                .text("cluster", clusters)
                .flag("healthyOnly", healthyOnly)
                .number("udpPort", 0)
                .text("module", "naming")
                .toBytes();
    }
}
