package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code ClientConfigMetricRequest}: asks a client for the number of its configurations, and for the contents that it holds of some.
 *
 * @param requestId repeated in the answer
 * @param keys of configurations, as {@link GroupKey} writes them
 */
public record ClientConfigQuestion(@Nullable String requestId, List<String> keys) {

    private static final String HELD = "cacheData";

    private record Key(@Nullable String type, @Nullable String key) {

        private static Key read(JsonInput in) {
            String type = null;
            String key = null;
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "type" -> type = in.text();
                    case "key" -> key = in.text();
                    default -> in.skip();
                }
            }
            return new Key(type, key);
        }
    }

    /** Without keys of other types. */
    public static ClientConfigQuestion read(JsonInput in) {
        String requestId = null;
        List<Key> asked = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "requestId" -> requestId = in.text();
                case "metricsKeys" -> asked = in.objects(Key::read);
                default -> in.skip();
            }
        }
        return new ClientConfigQuestion(
                requestId,
                asked.stream()
                        .filter(each -> HELD.equals(each.type) && each.key != null)
                        .map(Key::key)
                        .toList());
    }

    public Payload toPayload() {
        return Payload.of(
                MessageCatalog.CLIENT_CONFIG_METRIC_REQUEST,
                new JsonOutput(256)
                        .json("headers", "{}")
                        .text("requestId", requestId)
                        .objects("metricsKeys", keys, (key, object) -> object.text("type", HELD)
                                .text("key", key))
                        .text("module", "config")
                        .toBytes());
    }
}
