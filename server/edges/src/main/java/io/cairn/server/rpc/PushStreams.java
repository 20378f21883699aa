package io.cairn.server.rpc;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.ConnectionSetupRequest;
import io.cairn.api.wire.connection.PushReply;
import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.tls.ServerTls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The method {@code /BiRequestStream/requestBiStream}, for the setup of clients and the acknowledgement of pushes. */
final class PushStreams implements Call.Handler {

    private static final Logger log = LoggerFactory.getLogger(PushStreams.class);

    private final ConnectionRegistry connections;
    private final Function<ClientIdentity, Map<String, Boolean>> abilities;
    private final BooleanSupplier ready;
    private final String serverIp;
    private final Interned interned = new Interned();

    /** @param abilities of this server, for negotiating clients */
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

    /** The module in the client's setup; empty for any. */
    private static String module(ConnectionSetupRequest request) {
        String named = request.labels().getOrDefault("module", "");
        return switch (named) {
            case "config" -> "config";
            case "naming" -> "naming";
            default -> "";
        };
    }

    /** The SDK module of the push; empty for all. */
    private static String moduleOf(String type) {
        return switch (type) {
            case MessageCatalog.CONFIG_CHANGE_NOTIFY_REQUEST,
                    MessageCatalog.CLIENT_CONFIG_METRIC_REQUEST,
                    MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST,
                    MessageCatalog.CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST -> "config";
            case MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                    MessageCatalog.NAMING_FUZZY_WATCH_SYNC_REQUEST,
                    MessageCatalog.NAMING_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST -> "naming";
            default -> "";
        };
    }

    @Override
    public Call.Listener start(Call call) {
        call.sendHeaders();
        return new PushStream(call, GrpcServer.transport(call));
    }

    /**
     * Callbacks run on the transport's event loop, in order.
     *
     * <p>Clients of one process may share a transport, as in the Python SDK before 2.0.3. The first stream is then the
     * connection's transport, and the others join it: each receives the pushes of its client's module.
     */
    final class PushStream implements Call.Listener, ClientConnection.Transport {

        private final Call call;
        private final Transport transport;
        /** Null for a single stream, as nearly always. */
        private @Nullable List<PushStream> joined;

        private @Nullable PushStream first;
        private @Nullable ClientConnection connection;
        private String module = "";
        private boolean ended;

        PushStream(Call call, Transport transport) {
            this.call = call;
            this.transport = transport;
        }

        @Override
        public void onMessage(byte[] message) {
            onReply(Payload.read(message));
        }

        @Override
        public void onUnreadable(String why) {
            onReply(Payload.unreadable(why));
        }

        private void onReply(Payload message) {
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
            module = module(request);
            ClientConnection present = connect(message, request);
            if (present == null) {
                close(false);
                return;
            }
            connection = present;
            if (request.negotiatesAbilities()) {
                sendHere(Payload.of(
                        MessageCatalog.SETUP_ACK_REQUEST,
                        serverIp,
                        new JsonOutput(128)
                                .json("headers", "{}")
                                .flags("abilityTable", abilities.apply(present.identity()))
                                .text("module", "internal")
                                .toBytes()));
            }
        }

        /** The stream's connection from now on; null at the limit of connections. */
        private @Nullable ClientConnection connect(Payload message, ConnectionSetupRequest request) {
            ClientConnection present = transport.connection();
            if (present != null && !present.isClosed()) {
                PushStream line = transport.stream();
                if (line != null && line != this && first == null) {
                    first = line;
                    line.add(this);
                }
                present.touch();
                return present;
            }
            ClientConnection established = new ClientConnection(
                            transport.connectionId(),
                            interned.intern(identity(message, request)),
                            ServerTls.userOf(transport.channel()),
                            this,
                            connections)
                    .from(ConnectionAdmission.loadOf(transport.channel()));
            if (!connections.register(established)) {
                return null;
            }
            leave();
            transport.setUp(established, this);
            return established;
        }

        private void add(PushStream other) {
            List<PushStream> present = joined;
            if (present == null) {
                present = new ArrayList<>(1);
                joined = present;
            }
            // A returning stream of the same transport replaces its former one.
            present.removeIf(each -> each.ended && each.module.equals(other.module));
            present.add(other);
        }

        private void leave() {
            PushStream line = first;
            first = null;
            if (line != null && line.joined != null) {
                line.joined.remove(this);
                if (line.joined.isEmpty()) {
                    line.joined = null;
                }
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
                // The Node SDK sends its health checks here; they prove life and expect no answer.
                established.touch();
                return;
            }
            try {
                PushReply reply = PushReply.of(message);
                if (!established.answersQuestion(reply, message)) {
                    established.answered(reply.requestId(), message.type(), reply.success());
                }
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
            finish(GrpcStatus.OK, null);
            end();
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

        /** Ends the connection after its last stream; the end of a stream must not affect the others. */
        private void end() {
            PushStream line = first == null ? this : first;
            if (!line.isAlive()) {
                line.endConnection();
            }
        }

        private void endConnection() {
            ClientConnection established = connection;
            if (established != null) {
                connections.closed(established);
                if (transport.connection() == established) {
                    transport.setUp(null, null);
                }
            }
        }

        private boolean isAlive() {
            return !ended || joined != null && joined.stream().anyMatch(other -> !other.ended);
        }

        private void finishAll(boolean stopping) {
            GrpcStatus status = stopping ? GrpcStatus.UNAVAILABLE : GrpcStatus.OK;
            String why = stopping ? "the server is stopping" : null;
            finish(status, why);
            if (joined != null) {
                for (PushStream other : List.copyOf(joined)) {
                    other.finish(status, why);
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
            return isAlive()
                    && takesMore()
                    && (joined == null || joined.stream().allMatch(PushStream::takesMore));
        }

        private boolean takesMore() {
            return ended || call.isReady();
        }

        @Override
        public void send(Payload payload) {
            List<PushStream> others = joined;
            if (others == null) {
                sendHere(payload);
                return;
            }
            String about = moduleOf(payload.type());
            boolean told = sendIfAbout(about, payload);
            for (PushStream other : others) {
                told |= other.sendIfAbout(about, payload);
            }
            if (!told) {
                sendHere(payload);
                others.forEach(other -> other.sendHere(payload));
            }
        }

        /** Counts a push for an ended client as sent, because the other clients do not know that client. */
        private boolean sendIfAbout(String about, Payload payload) {
            boolean mine = about.isEmpty() || module.isEmpty() || module.equals(about);
            if (mine) {
                sendHere(payload);
            }
            return mine;
        }

        private void sendHere(Payload payload) {
            if (!ended) {
                call.send(payload);
            }
        }

        @Override
        public void close(boolean stopping) {
            transport.channel().eventLoop().execute(() -> {
                PushStream line = first == null ? this : first;
                line.endConnection();
                line.finishAll(stopping);
                if (!stopping) {
                    // After queued tasks: the client sees the end of the stream before the transport closes.
                    transport.channel().eventLoop().execute(transport::close);
                }
            });
        }
    }
}
