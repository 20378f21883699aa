package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * Starts or ends a subscription of a service.
 *
 * @param subscribe true to start, false to end
 * @param clusters the wanted clusters, separated by commas; null or empty for all
 */
public record SubscribeServiceRequest(
        ServiceName service, boolean subscribe, @Nullable String clusters) {

    public static SubscribeServiceRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        boolean subscribe = true;
        String clusters = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                case "subscribe" -> subscribe = in.flag(true);
                case "clusters" -> clusters = in.text();
                default -> in.skip();
            }
        }
        return new SubscribeServiceRequest(service.toName(), subscribe, clusters);
    }

    /** The message as a client sends it. */
    public byte[] toJson() {
        return service.fields(256)
                .flag("subscribe", subscribe)
                .text("clusters", clusters)
                .text("module", "naming")
                .toBytes();
    }
}
