package io.cairn.api.wire.config;

import io.cairn.api.wire.FromHeader;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts or stops listening to configurations.
 *
 * @param listen true to start, false to stop
 * @param clientTag from a header; null for a stop
 * @param minRevision must be shown before the comparison; from a header, null for a stop
 */
public record ConfigBatchListenRequest(
        boolean listen,
        List<Listened> contexts,
        @FromHeader(ConfigQueryRequest.CLIENT_TAG) @Nullable String clientTag,
        @FromHeader(RevisionHeaders.MIN_REVISION) @Nullable String minRevision) {

    public ConfigBatchListenRequest {
        contexts = List.copyOf(contexts);
    }

    public ConfigBatchListenRequest(boolean listen, List<Listened> contexts) {
        this(listen, contexts, null, null);
    }

    public static ConfigBatchListenRequest of(Payload message) {
        ConfigBatchListenRequest body = JsonInput.read(message, ConfigBatchListenRequest::read);
        if (!body.listen) {
            return body;
        }
        String clientTag = message.header(ConfigQueryRequest.CLIENT_TAG);
        String minRevision = message.header(RevisionHeaders.MIN_REVISION);
        return clientTag == null && minRevision == null
                ? body
                : new ConfigBatchListenRequest(true, body.contexts, clientTag, minRevision);
    }

    public static ConfigBatchListenRequest read(JsonInput in) {
        boolean listen = true;
        List<Listened> contexts = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "listen" -> listen = in.flag(true);
                case "configListenContexts" -> contexts = in.objects(Listened::read);
                default -> in.skip();
            }
        }
        return new ConfigBatchListenRequest(listen, contexts);
    }

    public byte[] toJson() {
        return new JsonOutput(64 + contexts.size() * 160)
                .flag("listen", listen)
                .objects("configListenContexts", contexts, Listened::write)
                .text("module", "config")
                .toBytes();
    }

    /**
     * One configuration.
     *
     * @param md5 of the client's content; null or empty without content
     */
    public record Listened(
            @Nullable String group,
            @Nullable String dataId,
            @Nullable String tenant,
            @Nullable String md5) {

        static Listened read(JsonInput in) {
            String group = null;
            String dataId = null;
            String tenant = null;
            String md5 = null;
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "group" -> group = in.text();
                    case "dataId" -> dataId = in.text();
                    case "tenant" -> tenant = in.text();
                    case "md5" -> md5 = in.text();
                    default -> in.skip();
                }
            }
            return new Listened(group, dataId, tenant, md5);
        }

        private void write(JsonOutput out) {
            out.text("dataId", dataId)
                    .text("group", group)
                    .text("tenant", tenant)
                    .text("md5", md5);
        }
    }
}
