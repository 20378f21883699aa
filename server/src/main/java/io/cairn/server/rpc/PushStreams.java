package io.cairn.server.rpc;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.ConnectionSetupRequest;
import io.cairn.api.wire.connection.PushReply;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.Doorkeeper;
import io.cairn.server.rpc.http2.Call;
import io.cairn.server.rpc.http2.GrpcStatus;
import io.cairn.server.tls.ServerTls;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The method {@code /BiRequestStream/requestBiStream}: the client sets itself up on it, and answers what is pushed. */
final class PushStreams implements Call.Handler {

    private static final Logger log = LoggerFactory.getLogger(PushStreams.class);

    private final ConnectionRegistry connections;
    private final Function<ClientIdentity, Map<String, Boolean>> abilities;
    private final BooleanSupplier ready;
    private final String serverIp;
    private final Interned interned = new Interned();

    /** @param abilities what this server tells clients that negotiate; only what it really does */
    PushStreams(
            ConnectionRegistry connections,
            Function<ClientIdentity, Map<String, Boolean>> abilities,
            BooleanSupplier ready,
            String serverIp) {
        this.connections = connections;
        this.abilities = abilities;
        this.ready = ready;
        this.serverIp = serverIp;
    }

    @Override
    public Call.Listener start(Call call) {
        call.sendHeaders();
        return new PushStream(call, GrpcServer.transport(call));
    }

    /** Callbacks come on the transport's event loop, one after the other. */
    private final class PushStream implements Call.Listener, ClientConnection.Line {

        private final Call call;
        private final Transport transport;
        private @Nullable ClientConnection connection;
        private boolean ended;

        PushStream(Call call, Transport transport) {
            this.call = call;
            this.transport = transport;
        }

        @Override
        public void onMessage(Payload message) {
            if (message.malformation() != null) {
                log.debug(
                        "Malformed payload on the stream of {}: {}", transport.connectionId(), message.malformation());
            } else if (message.type().equals(MessageCatalog.CONNECTION_SETUP_REQUEST)) {
                setUp(message);
            } else {
                answered(message);
            }
        }

        private void setUp(Payload message) {
            ConnectionSetupRequest request;
            try {
                request = JsonInput.read(message, ConnectionSetupRequest::read);
            } catch (MalformedMessageException e) {
                log.debug("Malformed set-up on {}: {}", transport.connectionId(), e.getMessage());
                return;
            }
            if (!ready.getAsBoolean()) {
                close(false);
                return;
            }
            if (connection == null || connection.isClosed()) {
                ClientConnection established = new ClientConnection(
                                transport.connectionId(),
                                interned.intern(identity(message, request)),
                                ServerTls.userOf(transport.channel()),
                                this,
                                connections)
                        .from(Doorkeeper.loadOf(transport.channel()));
                if (!connections.register(established)) {
                    close(false);
                    return;
                }
                connection = established;
                transport.setUp(established);
            } else {
                connection.touch();
            }
            if (request.negotiatesAbilities()) {
                send(Payload.of(
                        MessageCatalog.SETUP_ACK_REQUEST,
                        serverIp,
                        new JsonOutput(128)
                                .json("headers", "{}")
                                .flags("abilityTable", abilities.apply(connection.identity()))
                                .text("module", "internal")
                                .toBytes()));
            }
        }

        private ClientIdentity identity(Payload message, ConnectionSetupRequest request) {
            String named = message.clientIp();
            return new ClientIdentity(
                    named == null || named.isBlank() ? transport.remoteIp() : named,
                    request.clientVersion() == null ? "" : request.clientVersion(),
                    request.tenant() == null ? "" : request.tenant(),
                    request.labels());
        }

        private void answered(Payload message) {
            ClientConnection established = connection;
            if (established == null) {
                return;
            }
            if (!message.type().endsWith("Response")) {
                // The Node SDK sends its health checks here; they show that it is alive and expect no answer.
                established.touch();
                return;
            }
            try {
                PushReply reply = PushReply.of(message);
                established.answered(reply.requestId(), message.type(), reply.success());
            } catch (MalformedMessageException e) {
                log.debug("Malformed {} from {}: {}", message.type(), established.id(), e.getMessage());
            }
        }

        @Override
        public void onReady() {
            ClientConnection established = connection;
            if (established != null) {
                established.ready();
            }
        }

        @Override
        public void onHalfClose() {
            end();
            finish(GrpcStatus.OK, null);
        }

        @Override
        public void onCancel() {
            ended = true;
            end();
        }

        @Override
        public void onComplete() {
            ended = true;
            end();
        }

        private void end() {
            ClientConnection established = connection;
            if (established != null) {
                connections.closed(established);
                if (transport.connection() == established) {
                    transport.setUp(null);
                }
            }
        }

        private void finish(GrpcStatus status, @Nullable String why) {
            if (!ended) {
                ended = true;
                call.finish(status, why);
            }
        }

        @Override
        public Executor loop() {
            return transport.channel().eventLoop();
        }

        @Override
        public boolean isReady() {
            return !ended && call.isReady();
        }

        @Override
        public void send(Payload payload) {
            if (!ended) {
                call.send(payload);
            }
        }

        @Override
        public void close(boolean stopping) {
            transport.channel().eventLoop().execute(() -> {
                end();
                if (stopping) {
                    finish(GrpcStatus.UNAVAILABLE, "the server is stopping");
                } else {
                    finish(GrpcStatus.OK, null);
                }
                // After what finish() has queued: the client sees the stream end before the transport closes.
                transport.channel().eventLoop().execute(transport::close);
            });
        }
    }
}
