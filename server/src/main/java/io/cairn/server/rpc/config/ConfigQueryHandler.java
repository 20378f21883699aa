package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.config.ConfigQueryRequest;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads a configuration: from memory with the bytes that all readers share, else from the store. */
public final class ConfigQueryHandler implements MessageHandler {

    private static final CompletionStage<Payload> NOT_FOUND = CompletableFuture.completedFuture(ConfigWire.NOT_FOUND);

    private final ConfigService configs;

    public ConfigQueryHandler(ConfigService configs) {
        this.configs = configs;
    }

    @Override
    public String requestType() {
        return MessageCatalog.CONFIG_QUERY_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.CONFIG_QUERY_RESPONSE;
    }

    @Override
    public CompletionStage<Payload> handle(Payload payload, ClientConnection connection) {
        ConfigQueryRequest request = JsonInput.read(payload, ConfigQueryRequest::read);
        ConfigKey key = ConfigWire.key(request.dataId(), request.group(), request.tenant());
        String tag = ConfigWire.blankToNull(request.tag());
        GrayRule.Client client = ConfigWire.client(payload, tag, connection);
        ConfigEntry entry = configs.find(key, client, tag != null);
        if (entry == null) {
            return tag == null ? NOT_FOUND : CompletableFuture.completedFuture(ConfigWire.tagNotFound(tag));
        }
        ConfigVersion version = configs.resident(entry);
        if (version != null) {
            return CompletableFuture.completedFuture(version.as(ConfigWire.QUERY_ANSWER));
        }
        return configs.load(entry, () -> configs.find(key, client, tag != null))
                .thenApply(loaded -> loaded.map(found -> found.as(ConfigWire.QUERY_ANSWER))
                        .orElseGet(() -> tag == null ? ConfigWire.NOT_FOUND : ConfigWire.tagNotFound(tag)));
    }

    @Override
    public Payload denied(String text) {
        return ConfigWire.queryFailed(WireError.NO_RIGHT, text);
    }

    @Override
    public Payload refused(CairnException failure) {
        return ConfigWire.queryFailed(ConfigWire.errorCode(failure.code()), failure.text());
    }
}
