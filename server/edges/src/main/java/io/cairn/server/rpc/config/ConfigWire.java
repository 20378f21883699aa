package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.change.Visibility;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.gray.GrayClient;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Configurations on the gRPC wire, where a namespace is a tenant. */
final class ConfigWire {

    /** The answer to a query; encoded once, with the stored bytes. */
    static final ConfigVersion.Answer<Payload> QUERY_ANSWER =
            ConfigVersion.Answer.overGrpc(ConfigWire::found, ConfigWire::content);

    static final Payload NOT_FOUND = queryFailed(WireError.CONFIG_NOT_FOUND, "config data not exist");

    private ConfigWire() {}

    private static Payload found(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        byte[] content = version.utf8();
        JsonOutput out = WireResponse.start(content.length + 256)
                .utf8("content", content)
                .text("encryptedDataKey", entry.keyForReaders())
                .text("contentType", entry.type().wireName())
                .text("md5", entry.digest().toString())
                .number("lastModified", entry.lastModifiedMillis())
                .text("tag", gray == null ? null : gray.tag())
                .flag("beta", gray != null && gray.isBeta())
                .flag("success", true);
        return Payload.of(MessageCatalog.CONFIG_QUERY_RESPONSE, out.toBytes());
    }

    /** The content in an answer of {@link #found}. */
    private static byte[] content(Payload answer) {
        return JsonInput.read(answer, in -> {
            String content = "";
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                if (field.equals("content")) {
                    content = in.textOr("");
                } else {
                    in.skip();
                }
            }
            return content.getBytes(StandardCharsets.UTF_8);
        });
    }

    /** A success with the revision of the change, and in a cluster the number of nodes that show it. */
    static Payload stored(String responseType, long revision, VisibilityBarrier barrier) {
        String number = Long.toString(revision);
        Visibility visibility = barrier.visibility(revision);
        return WireResponse.ok(
                responseType,
                visibility == null
                        ? Map.of(RevisionHeaders.REVISION, number)
                        : Map.of(RevisionHeaders.REVISION, number, RevisionHeaders.VISIBLE, visibility.toString()));
    }

    static Payload queryFailed(int errorCode, String message) {
        return WireResponse.failed(
                MessageCatalog.CONFIG_QUERY_RESPONSE, errorCode, message, out -> out.number("lastModified", 0)
                        .flag("beta", false));
    }

    /** An absent release; the answer repeats the tag. */
    static Payload tagNotFound(String tag) {
        return WireResponse.failed(
                MessageCatalog.CONFIG_QUERY_RESPONSE,
                WireError.CONFIG_NOT_FOUND,
                "config data not exist",
                out -> out.number("lastModified", 0).text("tag", tag).flag("beta", false));
    }

    /**
     * The key after the parameter check, whose refusals carry their prefix.
     *
     * @throws CairnException {@code INVALID_PARAMETER}
     */
    static ConfigKey key(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
        check(dataId, group, tenant);
        return ConfigDraft.key(dataId, group, tenant);
    }

    static void check(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
        try {
            ParameterCheck.config(dataId, group, tenant);
        } catch (CairnException e) {
            throw new CairnException(e.code(), "Param check invalid:" + e.text(), e);
        }
    }

    /** The client's properties for gray releases. */
    static GrayClient client(@Nullable String tag, ClientConnection connection) {
        return connection.identity().reader(tag);
    }

    static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    static int errorCode(ErrorCode code) {
        return switch (code) {
            case INVALID_PARAMETER -> WireError.INVALID_PARAMETER;
            case NOT_FOUND -> WireError.CONFIG_NOT_FOUND;
            case BUSY -> WireError.OVER_THRESHOLD;
            case UNSUPPORTED -> WireError.NOT_IMPLEMENTED;
            case CONFLICT, LIMIT_EXCEEDED, UNAVAILABLE, BEHIND, INTERNAL -> WireError.SERVER_ERROR;
        };
    }
}
