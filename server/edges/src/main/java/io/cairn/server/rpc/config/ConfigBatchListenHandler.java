package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.api.wire.config.ConfigBatchListenRequest.Listened;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.GrayRule;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionWatches;
import io.cairn.server.limit.Limit;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Registers what a client listens to and answers which of it has changed. Each key is registered before it is compared,
 * so a change meanwhile is either in the answer or pushed.
 */
public final class ConfigBatchListenHandler implements MessageHandler<ConfigBatchListenRequest> {

    private static final MessageRight<ConfigBatchListenRequest> RIGHT =
            MessageRight.anyConfig(Action.READ, ConfigBatchListenRequest::contexts, ConfigBatchListenHandler::key);
    private static final CompletionStage<Payload> NOTHING_CHANGED =
            CompletableFuture.completedFuture(changed(List.of(), null));

    private final ConfigService configs;
    private final Subscriptions<ConfigKey> subscriptions;
    private final Limit limit;
    private final RevisionReads reads;

    /**
     * @param limit of what one connection may watch
     * @param gate holds up the comparison of clients that name a revision
     */
    public ConfigBatchListenHandler(
            ConfigService configs, Subscriptions<ConfigKey> subscriptions, Limit limit, RevisionGate gate) {
        this.configs = configs;
        this.subscriptions = subscriptions;
        this.limit = limit;
        this.reads = new RevisionReads(gate);
    }

    @Override
    public String requestType() {
        return MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST;
    }

    @Override
    public String responseType() {
        return MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE;
    }

    @Override
    public ConfigBatchListenRequest read(Payload message) {
        return ConfigBatchListenRequest.of(message);
    }

    @Override
    public MessageRight<ConfigBatchListenRequest> right() {
        return RIGHT;
    }

    @Override
    public Watching watching() {
        return Watching.KEYS;
    }

    @Override
    public CompletionStage<Payload> handle(
            ConfigBatchListenRequest request, ClientConnection connection, Principal caller) {
        return reads.answer(
                request.minRevision(),
                connection.loop(),
                () -> listenOrStop(request, connection, caller),
                this::refused);
    }

    private CompletionStage<Payload> listenOrStop(
            ConfigBatchListenRequest request, ClientConnection connection, Principal caller) {
        List<Listened> contexts = new ArrayList<>(request.contexts().size());
        List<ConfigKey> keys = new ArrayList<>(request.contexts().size());
        List<ConfigKey> forbidden = new ArrayList<>();
        for (Listened context : request.contexts()) {
            // All of them before the first is registered: a bad request changes nothing.
            ConfigKey key = key(context);
            if (caller.mayRead(key)) {
                keys.add(key);
                contexts.add(context);
            } else {
                forbidden.add(key);
            }
        }
        if (!request.listen()) {
            for (ConfigKey key : keys) {
                stop(key, connection);
            }
            connection.watches().trim();
            return NOTHING_CHANGED;
        }
        checkLimit(keys, connection.watches());
        GrayRule.Client client = ConfigWire.client(request.clientTag(), connection);
        connection.listensAs(client.tag());
        List<Listened> changed = listen(contexts, keys, client, connection);
        if (changed.isEmpty() && forbidden.isEmpty()) {
            return NOTHING_CHANGED;
        }
        return CompletableFuture.completedFuture(changed(changed, without(forbidden)));
    }

    private static ConfigKey key(Listened context) {
        return ConfigWire.key(context.dataId(), context.group(), context.tenant());
    }

    /** Said along with the answer for the rest: as changed they would be asked for again and again. */
    private static @Nullable String without(List<ConfigKey> forbidden) {
        if (forbidden.isEmpty()) {
            return null;
        }
        ConfigKey first = forbidden.get(0);
        return "authorization failed! not listened to, for they may not be read: " + forbidden.size()
                + ", the first is " + first.namespace().id() + ':' + first.group() + ":config/" + first.dataId();
    }

    /** Nothing of a list that is too long is registered; what is listened to already counts once. */
    private void checkLimit(List<ConfigKey> keys, ConnectionWatches watches) {
        long most = (long) watches.size() + keys.size();
        if (most <= limit.max()) {
            limit.allows(most);
            return;
        }
        long added = new HashSet<>(keys)
                .stream()
                        .filter(key -> {
                            WatchedKey<ConfigKey> watched = subscriptions.find(key);
                            return watched == null || watches.spelling(watched) < 0;
                        })
                        .count();
        limit.check(watches.size() + added);
    }

    private List<Listened> listen(
            List<Listened> contexts, List<ConfigKey> keys, GrayRule.Client client, ClientConnection connection) {
        ConnectionWatches watches = connection.watches();
        boolean first = watches.size() == 0;
        if (first) {
            watches.reserve(keys.size());
        }
        List<Listened> changed = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Listened context = contexts.get(i);
            WatchedKey<ConfigKey> watched = register(keys.get(i), TenantSpelling.of(context.tenant()), connection);
            ConfigEntry entry = configs.find(keys.get(i), client, false);
            if (isCurrent(entry, context)) {
                // The digest of the entry, which all who are current share.
                watches.holds(watched, entry == null ? null : entry.digest());
            } else {
                watches.holds(watched, ContentDigest.parse(context.md5()).orElse(null));
                changed.add(context);
            }
            subscriptions.told(keys.get(i));
        }
        if (first) {
            watches.trim();
        }
        if (connection.isClosed()) {
            // It ended while a large list was registered off its event loop; what was added after that is taken off.
            connection.watches().clear(WatchedKey::closed);
        }
        return changed;
    }

    private WatchedKey<ConfigKey> register(ConfigKey key, int spelling, ClientConnection connection) {
        ConnectionWatches watches = connection.watches();
        // Large lists are read off the event loop, so two of one connection may be registered at once.
        synchronized (watches) {
            WatchedKey<ConfigKey> watched = subscriptions.find(key);
            if (watched == null || !watches.respell(watched, spelling)) {
                watched = subscriptions.watch(key, connection);
                watches.add(watched, spelling);
            }
            return watched;
        }
    }

    private void stop(ConfigKey key, ClientConnection connection) {
        synchronized (connection.watches()) {
            WatchedKey<ConfigKey> watched = subscriptions.find(key);
            if (watched != null && connection.watches().remove(watched)) {
                subscriptions.unwatch(watched, connection);
            }
        }
    }

    private static boolean isCurrent(@Nullable ConfigEntry entry, Listened context) {
        return entry == null
                ? context.md5() == null || context.md5().isBlank()
                : entry.digest().matches(context.md5());
    }

    private static Payload changed(List<Listened> contexts, @Nullable String message) {
        JsonOutput out = WireResponse.start(64 + contexts.size() * 64);
        if (message != null) {
            out.text("message", message);
        }
        out.objects("changedConfigs", contexts, (context, object) -> object.text("group", context.group())
                        .text("dataId", context.dataId())
                        .text("tenant", context.tenant()))
                .flag("success", true);
        return Payload.of(MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE, out.toBytes());
    }

    @Override
    public Payload refused(CairnException failure) {
        return WireResponse.failed(
                responseType(),
                ConfigWire.errorCode(failure.code()),
                failure.text(),
                out -> out.json("changedConfigs", "[]"));
    }
}
