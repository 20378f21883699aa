package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.config.ConfigQueryRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionWatches;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import io.cairn.server.subscription.ConfigSightings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads a configuration: from memory with shared bytes, else from the store. For a client of an SDK that
 * {@linkplain io.cairn.server.sdk.Sdk#readsInsteadOfListening reads instead of listening}, notes the content that it got.
 */
public final class ConfigQueryHandler implements MessageHandler<ConfigQueryRequest> {

    private static final MessageRight<ConfigQueryRequest> RIGHT =
            MessageRight.config(Action.READ, ConfigQueryHandler::key);
    private static final CompletionStage<Payload> NOT_FOUND = CompletableFuture.completedFuture(ConfigWire.NOT_FOUND);

    private final ConfigService configs;
    private final Subscriptions<ConfigKey> subscriptions;
    private final RevisionReads reads;
    private final ConfigSightings sightings;

    /** @param gate delays queries that name a revision */
    public ConfigQueryHandler(
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            RevisionGate gate,
            ConfigSightings sightings) {
        this.sightings = sightings;
        this.configs = configs;
        this.subscriptions = subscriptions;
        this.reads = new RevisionReads(gate);
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
    public ConfigQueryRequest read(Payload message) {
        return ConfigQueryRequest.of(message);
    }

    @Override
    public MessageRight<ConfigQueryRequest> right() {
        return RIGHT;
    }

    @Override
    public CompletionStage<Payload> handle(ConfigQueryRequest request, ClientConnection connection, Principal caller) {
        return reads.answerInStep(
                request.minRevision(), connection.loop(), () -> find(request, connection), this::refused);
    }

    private CompletionStage<Payload> find(ConfigQueryRequest request, ClientConnection connection) {
        ConfigKey key = key(request);
        String tag = ConfigWire.blankToNull(request.tag());
        GrayClient reader = ConfigWire.client(request.clientTag(), connection);
        GrayClient client = tag == null ? reader : reader.asking(tag);
        ConfigEntry entry = configs.find(key, client, tag != null);
        if (entry == null) {
            noteAnswered(key, null, tag, connection);
            return tag == null ? NOT_FOUND : CompletableFuture.completedFuture(ConfigWire.tagNotFound(tag));
        }
        ConfigVersion version = configs.resident(entry);
        if (version != null) {
            noteAnswered(key, entry.digest(), tag, connection);
            return CompletableFuture.completedFuture(version.as(ConfigWire.QUERY_ANSWER));
        }
        return configs.load(entry, () -> configs.find(key, client, tag != null)).thenApply(loaded -> {
            noteAnswered(key, loaded.map(found -> found.entry().digest()).orElse(null), tag, connection);
            return loaded.map(found -> found.as(ConfigWire.QUERY_ANSWER))
                    .orElseGet(() -> tag == null ? ConfigWire.NOT_FOUND : ConfigWire.tagNotFound(tag));
        });
    }

    private static ConfigKey key(ConfigQueryRequest request) {
        return ConfigWire.key(request.dataId(), request.group(), request.tenant());
    }

    private void noteAnswered(
            ConfigKey key, @Nullable ContentDigest digest, @Nullable String tag, ClientConnection connection) {
        ConnectionWatches watches = connection.watches();
        if (watches.size() > 0 && tag == null && connection.identity().sdk().readsInsteadOfListening()) {
            WatchedKey<ConfigKey> watched = subscriptions.find(key);
            if (watched != null && watches.holds(watched, digest)) {
                sightings.followed(connection, key, digest);
                subscriptions.reported(key);
            }
        }
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
