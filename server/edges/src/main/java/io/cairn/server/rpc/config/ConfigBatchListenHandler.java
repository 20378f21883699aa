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
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionWatches;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.limit.Limit;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRight;
import io.cairn.server.subscription.ConfigSightings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Registers a client's listens and answers with the changed ones. Each key is registered before its comparison, so a change
 * meanwhile is in the answer or pushed. A client from another node may have a newer content. Before this node notifies it of a
 * difference, it reads the store.
 */
public final class ConfigBatchListenHandler implements MessageHandler<ConfigBatchListenRequest> {

    private static final MessageRight<ConfigBatchListenRequest> RIGHT =
            MessageRight.anyConfig(Action.READ, ConfigBatchListenRequest::contexts, ConfigBatchListenHandler::key);
    private static final CompletionStage<Payload> NOTHING_CHANGED =
            CompletableFuture.completedFuture(changed(List.of(), null));

    private record Registered(WatchedKey<ConfigKey> watched, boolean isNew) {}

    /**
     * A configuration of which the client has another content.
     *
     * @param isNew whether the client begins to listen over this connection, and may have that content from another node
     */
    private record Difference(Listened context, WatchedKey<ConfigKey> watched, boolean isNew) {}

    private final ConfigService configs;
    private final Subscriptions<ConfigKey> subscriptions;
    private final Limit limit;
    private final RevisionReads reads;
    private final ConfigSightings sightings;

    /**
     * @param limit of one connection's watches
     * @param gate delays the comparison for clients that name a revision
     */
    public ConfigBatchListenHandler(
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            Limit limit,
            RevisionGate gate,
            ConfigSightings sightings) {
        this.sightings = sightings;
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
            // All keys before the first registration: a bad request changes nothing.
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
        GrayClient client = ConfigWire.client(request.clientTag(), connection);
        connection.listensAs(client.tag());
        List<Difference> differences = listen(contexts, keys, client, connection);
        CompletionStage<Boolean> look = differences.isEmpty()
                ? null
                : reads.checkForListen(differences.stream().anyMatch(Difference::isNew));
        return look == null
                ? answer(differences, forbidden)
                : look.thenComposeAsync(
                        shown -> answer(stillThere(differences, client, connection), forbidden), connection.loop());
    }

    private static CompletionStage<Payload> answer(List<Difference> differences, List<ConfigKey> forbidden) {
        if (differences.isEmpty() && forbidden.isEmpty()) {
            return NOTHING_CHANGED;
        }
        List<Listened> changed = differences.stream().map(Difference::context).toList();
        return CompletableFuture.completedFuture(changed(changed, without(forbidden)));
    }

    private static ConfigKey key(Listened context) {
        return ConfigWire.key(context.dataId(), context.group(), context.tenant());
    }

    /** The error for the forbidden keys. If they were answered as changed, clients would query them repeatedly. */
    private static @Nullable String without(List<ConfigKey> forbidden) {
        if (forbidden.isEmpty()) {
            return null;
        }
        ConfigKey first = forbidden.get(0);
        return "authorization failed! not listened to, for they may not be read: " + forbidden.size()
                + ", the first is " + first.namespace().id() + ':' + first.group() + ":config/" + first.dataId();
    }

    /** Registers nothing of a too long list; a key counts once. */
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
                            return watched == null || watches.variant(watched) < 0;
                        })
                        .count();
        limit.check(watches.size() + added);
    }

    /** The differences left after the read of the store: the client may have been ahead of this node. */
    private List<Difference> stillThere(List<Difference> differences, GrayClient client, ClientConnection connection) {
        List<Difference> left = new ArrayList<>(differences.size());
        for (Difference each : differences) {
            ConfigEntry entry = configs.find(each.watched.key(), client, false);
            if (isCurrent(entry, each.context)) {
                noteHeld(connection, each.watched, entry == null ? null : entry.digest());
                subscriptions.reported(each.watched.key());
            } else {
                left.add(each);
            }
        }
        return left;
    }

    private List<Difference> listen(
            List<Listened> contexts, List<ConfigKey> keys, GrayClient client, ClientConnection connection) {
        ConnectionWatches watches = connection.watches();
        boolean first = watches.size() == 0;
        if (first) {
            watches.reserve(keys.size());
        }
        List<Difference> changed = new ArrayList<>();
        List<ConfigKey> begun = new ArrayList<>();
        List<@Nullable ContentDigest> begunWith = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Listened context = contexts.get(i);
            Registered registered = register(keys.get(i), NamespaceAlias.of(context.tenant()), connection);
            WatchedKey<ConfigKey> watched = registered.watched;
            ConfigEntry entry = configs.find(keys.get(i), client, false);
            ContentDigest held;
            if (isCurrent(entry, context)) {
                // The digest of the entry, which all current clients share.
                held = entry == null ? null : entry.digest();
            } else {
                held = ContentDigest.parse(context.md5()).orElse(null);
                changed.add(new Difference(context, watched, registered.isNew));
            }
            if (registered.isNew) {
                watches.holds(watched, held);
                begun.add(watched.key());
                begunWith.add(held);
            } else {
                noteHeld(connection, watched, held);
            }
            subscriptions.reported(keys.get(i));
        }
        if (!begun.isEmpty()) {
            sightings.listened(connection, begun, begunWith);
        }
        if (first) {
            watches.trim();
        }
        if (connection.isClosed()) {
            // The connection ended while a large list was registered off its event loop; remove later additions.
            connection.watches().clear(WatchedKey::closed);
        }
        return changed;
    }

    private void noteHeld(ClientConnection connection, WatchedKey<ConfigKey> watched, @Nullable ContentDigest digest) {
        if (connection.watches().holds(watched, digest)) {
            sightings.followed(connection, watched.key(), digest);
        }
    }

    private Registered register(ConfigKey key, int variant, ClientConnection connection) {
        ConnectionWatches watches = connection.watches();
        // Large lists are read off the event loop, so two of one connection may register concurrently.
        synchronized (watches) {
            WatchedKey<ConfigKey> watched = subscriptions.find(key);
            if (watched != null && watches.changeVariant(watched, variant)) {
                return new Registered(watched, false);
            }
            watched = subscriptions.watch(key, connection);
            watches.add(watched, variant);
            return new Registered(watched, true);
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
