package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/** Deletes a configuration, or its release for one tag. */
public record ConfigRemoveRequest(
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String tenant,
        @Nullable String tag) {

    public static ConfigRemoveRequest read(JsonInput in) {
        // The two requests have the same fields.
        ConfigQueryRequest fields = ConfigQueryRequest.read(in);
        return new ConfigRemoveRequest(fields.dataId(), fields.group(), fields.tenant(), fields.tag());
    }

    public byte[] toJson() {
        return new ConfigQueryRequest(dataId, group, tenant, tag).toJson();
    }
}
