package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigRemoveRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.InvalidConfigException;
import io.cairn.server.config.InvalidConfigException.Problem;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Deletes a configuration; an absent one is a success. */
public final class ConfigRemoveHandler implements MessageHandler<ConfigRemoveRequest> {

    private static final MessageRight<ConfigRemoveRequest> RIGHT =
            MessageRight.config(Action.WRITE, ConfigRemoveHandler::key);
    private static final Payload REMOVED = WireResponse.ok(MessageCatalog.CONFIG_REMOVE_RESPONSE);

    private final ConfigService configs;
    private final VisibilityBarrier barrier;

    /** @param barrier has the number of nodes that show a change */
    public ConfigRemoveHandler(ConfigService configs, VisibilityBarrier barrier) {
        this.configs = configs;
        this.barrier = barrier;
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
    public ConfigRemoveRequest read(Payload message) {
        return JsonInput.read(message, ConfigRemoveRequest::read);
    }

    @Override
    public MessageRight<ConfigRemoveRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(ConfigRemoveRequest request, ClientConnection connection, Principal caller) {
        ConfigKey key = key(request);
        Author by = new Author(null, connection.identity().clientIp(), new Caller(caller, connection.remoteIp()));
        String tag = ConfigWire.blankToNull(request.tag());
        if (tag == null) {
            return configs.remove(new RemoveConfig(key, null, by)).thenApply(this::answer);
        }
        // Nacos reads the tag as the release's name; most clients mean the tag.
        return configs.remove(new RemoveConfig(key, GrayRule.nameOfTag(tag), by))
                .thenCompose(first -> configs.remove(new RemoveConfig(key, tag, by))
                        .thenApply(second -> answer(second.isPresent() ? second : first)));
    }

    private Payload answer(Optional<ConfigChanged> removed) {
        return removed.map(change -> ConfigWire.stored(responseType(), change.revision(), barrier))
                .orElse(REMOVED);
    }

    private static ConfigKey key(ConfigRemoveRequest request) {
        return ConfigWire.key(request.dataId(), request.group(), request.tenant());
    }

    @Override
    public Payload refused(CairnException failure) {
        // As recorded: Nacos answers a missing name with error code 0 here, and only here.
        int errorCode =
                InvalidConfigException.is(failure, Problem.NAME_MISSING) ? 0 : ConfigWire.errorCode(failure.code());
        return WireResponse.failed(responseType(), errorCode, failure.text(), null);
    }
}
