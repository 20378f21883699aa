package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * Notifies a client that a configuration has changed, without its content.
 *
 * @param requestId repeated in the reply
 */
public record ConfigChangeNotify(
        @Nullable String requestId,
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String tenant) {

    public static ConfigChangeNotify read(JsonInput in) {
        String requestId = null;
        String dataId = null;
        String group = null;
        String tenant = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "requestId" -> requestId = in.text();
                case "dataId" -> dataId = in.text();
                case "group" -> group = in.text();
                case "tenant" -> tenant = in.text();
                default -> in.skip();
            }
        }
        return new ConfigChangeNotify(requestId, dataId, group, tenant);
    }
}
