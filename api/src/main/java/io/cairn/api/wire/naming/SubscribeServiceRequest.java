package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import org.jspecify.annotations.Nullable;

/**
 * Starts or ends a subscription to a service.
 *
 * @param subscribe true to start, false to end
 * @param clusters separated by commas; null or empty for all clusters
 * @param since the revision of the client's list, 0 without one; null from clients without deltas, as in Nacos
 */
public record SubscribeServiceRequest(
        ServiceName service,
        boolean subscribe,
        @Nullable String clusters,
        @Nullable Long since) {

    public static SubscribeServiceRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        boolean subscribe = true;
        String clusters = null;
        Long since = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                case "subscribe" -> subscribe = in.flag(true);
                case "clusters" -> clusters = in.text();
                case "since" -> since = (long) in.decimal(0);
                default -> in.skip();
            }
        }
        return new SubscribeServiceRequest(service.toName(), subscribe, clusters, since);
    }

    public byte[] toJson() {
        JsonOutput out = service.fields(256).flag("subscribe", subscribe).text("clusters", clusters);
        if (since != null) {
            out.number("since", since);
        }
        return out.text("module", "naming").toBytes();
    }
}
