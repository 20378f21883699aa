package io.cairn.server.rpc.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigPublishRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.InvalidConfigException;
import io.cairn.server.config.InvalidConfigException.Problem;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.Map;
import java.util.concurrent.CompletionStage;

public final class ConfigPublishHandler implements MessageHandler<ConfigPublishRequest> {

    private static final MessageRight<ConfigPublishRequest> RIGHT = MessageRight.config(
            Action.WRITE, request -> ConfigWire.key(request.dataId(), request.group(), request.tenant()));
    private static final Payload CONFLICT = conflict(PublishResult.Conflict.text(false));
    private static final Payload GRAY_CONFLICT = conflict(PublishResult.Conflict.text(true));

    private final ConfigService configs;
    private final ValidatedPublishing publishing;
    private final VisibilityBarrier barrier;

    /** @param barrier has the number of nodes that show a change */
    public ConfigPublishHandler(ConfigService configs, ValidatedPublishing publishing, VisibilityBarrier barrier) {
        this.configs = configs;
        this.publishing = publishing;
        this.barrier = barrier;
    }

    @Override
    public String requestType() {
        return MessageCatalog.CONFIG_PUBLISH_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.CONFIG_PUBLISH_RESPONSE;
    }

    @Override
    public ConfigPublishRequest read(Payload message) {
        return JsonInput.read(message, ConfigPublishRequest::read);
    }

    @Override
    public MessageRight<ConfigPublishRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(
            ConfigPublishRequest request, ClientConnection connection, Principal caller) {
        ConfigWire.check(request.dataId(), request.group(), request.tenant());
        Map<String, String> additions = request.additions();
        ConfigDraft draft = ConfigDraft.named(request.dataId(), request.group(), request.tenant())
                .content(request.content())
                .expectedMd5(request.casMd5())
                .attributes("config_tags", additions::get)
                .clients(additions.get("betaIps"), additions.get("tag"))
                .build();
        Author by = new Author(
                ConfigWire.blankToNull(additions.get("src_user")),
                connection.identity().clientIp(),
                new Caller(caller, connection.remoteIp()));
        PublishConfig command = draft.check(configs.limits(), by);
        return publishing
                .publish(command, false)
                .thenApply(result -> result.fold(
                        published -> ConfigWire.stored(
                                responseType(), published.change().revision(), barrier),
                        conflict -> command.gray() == null ? CONFLICT : GRAY_CONFLICT));
    }

    @Override
    public Payload refused(CairnException failure) {
        // Nacos answers a bad gray tag with its general code.
        int code = InvalidConfigException.is(failure, Problem.TAG_REFUSED)
                ? WireError.SERVER_ERROR
                : ConfigWire.errorCode(failure.code());
        return WireResponse.failed(responseType(), code, failure.text(), null);
    }

    private static Payload conflict(String message) {
        return WireResponse.failed(MessageCatalog.CONFIG_PUBLISH_RESPONSE, WireError.SERVER_ERROR, message, null);
    }
}
