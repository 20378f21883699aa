package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireAnswer;
import io.cairn.api.wire.config.ConfigRemoveRequest;
import io.cairn.server.config.ChangedBy;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes a configuration; deleting what is not there is a success. */
public final class ConfigRemoveHandler implements MessageHandler {

    private static final Payload REMOVED = WireAnswer.ok(MessageCatalog.CONFIG_REMOVE_RESPONSE);

    private final ConfigService configs;

    public ConfigRemoveHandler(ConfigService configs) {
        this.configs = configs;
    }

    @Override
    public String requestType() {
        return MessageCatalog.CONFIG_REMOVE_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.CONFIG_REMOVE_RESPONSE;
    }

    @Override
    public CompletionStage<Payload> handle(Payload payload, ClientConnection connection) {
        ConfigRemoveRequest request = JsonInput.read(payload, ConfigRemoveRequest::read);
        ConfigKey key = ConfigWire.key(request.dataId(), request.group(), request.tenant());
        if (ConfigWire.blankToNull(request.tag()) != null) {
            // There is no release for any tag, so it is gone already.
            return CompletableFuture.completedFuture(REMOVED);
        }
        ChangedBy by = new ChangedBy(null, connection.identity().clientIp());
        return configs.remove(new RemoveConfig(key, by)).thenApply(removed -> REMOVED);
    }

    @Override
    public Payload refused(CairnException failure) {
        boolean missingName =
                failure.code() == ErrorCode.INVALID_PARAMETER && failure.text().startsWith("invalid ");
        return WireAnswer.failed(
                responseType(), missingName ? 0 : ConfigWire.errorCode(failure.code()), failure.text(), null);
    }
}
