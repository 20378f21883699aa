package io.cairn.api.wire.config;

import io.cairn.api.wire.FromHeader;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Queries the content of a configuration.
 *
 * @param tag the requested release; null or blank for that of the client
 * @param clientTag from a header; null when {@code tag} is set
 * @param minRevision must be shown before the response; from a header
 */
public record ConfigQueryRequest(
        @Nullable String dataId,
        @Nullable String group,
        @Nullable String tenant,
        @Nullable String tag,
        @FromHeader(CLIENT_TAG) @Nullable String clientTag,
        @FromHeader(RevisionHeaders.MIN_REVISION) @Nullable String minRevision) {

    static final String CLIENT_TAG = "Vipserver-Tag";

    public ConfigQueryRequest(
            @Nullable String dataId, @Nullable String group, @Nullable String tenant, @Nullable String tag) {
        this(dataId, group, tenant, tag, null, null);
    }

    public static ConfigQueryRequest of(Payload message) {
        ConfigQueryRequest body = JsonInput.read(message, ConfigQueryRequest::read);
        String clientTag = body.tag == null || body.tag.isBlank() ? message.header(CLIENT_TAG) : null;
        String minRevision = message.header(RevisionHeaders.MIN_REVISION);
        return clientTag == null && minRevision == null
                ? body
                : new ConfigQueryRequest(body.dataId, body.group, body.tenant, body.tag, clientTag, minRevision);
    }

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
