package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import org.jspecify.annotations.Nullable;

/** Asks for a configuration's content. */
public record ConfigQueryRequest(
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String tenant,
        @Nullable String tag) {

    public static ConfigQueryRequest read(JsonInput in) {
        String dataId = null;
        String group = null;
        String tenant = null;
        String tag = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "dataId" -> dataId = in.text();
                case "group" -> group = in.text();
                case "tenant" -> tenant = in.text();
                case "tag" -> tag = in.text();
                default -> in.skip();
            }
        }
        return new ConfigQueryRequest(dataId, group, tenant, tag);
    }

    /** The message as a client sends it. */
    public byte[] toJson() {
        return fields(256).text("tag", tag).text("module", "config").toBytes();
    }

    JsonOutput fields(int expectedBytes) {
        return new JsonOutput(expectedBytes)
                .text("dataId", dataId)
                .text("group", group)
                .text("tenant", tenant);
    }
}
