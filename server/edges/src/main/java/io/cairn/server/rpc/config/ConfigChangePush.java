package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;

/** Notifies a client of a changed configuration; the client then queries it. */
public final class ConfigChangePush extends Push {

    private final ConfigKey key;
    private final String serverIp;

    public ConfigChangePush(PushKind kind, ConfigKey key, String requestId, long committedNanos, String serverIp) {
        super(kind, requestId, committedNanos, NamespaceAlias.COUNT);
        this.key = key;
        this.serverIp = serverIp;
    }

    /** A configuration whose change a client receives without watching it. */
    private record Unwatched(ConfigKey key) {}

    /** Sends it to a client that does not watch the configuration over that connection; on the event loop. */
    public void sendUnwatched(ClientConnection connection) {
        connection.push(
                new Unwatched(key),
                this,
                NamespaceAlias.of(connection.identity().tenant()));
    }

    /** Sends it once to a client that may not want it, and then does not acknowledge it; on the event loop. */
    public void sendOnce(ClientConnection connection) {
        connection.send(payload(NamespaceAlias.of(connection.identity().tenant())));
    }

    @Override
    public String replyType() {
        return MessageCatalog.CONFIG_CHANGE_NOTIFY_RESPONSE;
    }

    @Override
    protected Payload encode(int variant) {
        return Payload.of(
                MessageCatalog.CONFIG_CHANGE_NOTIFY_REQUEST,
                serverIp,
                new JsonOutput(192)
                        .json("headers", "{}")
                        .text("requestId", requestId())
                        .text("dataId", key.dataId())
                        .text("group", key.group())
                        .text("tenant", NamespaceAlias.tenant(key, variant))
                        .text("module", "config")
                        .toBytes());
    }
}
