package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.connection.PushReply;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCredentials;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.okhttp.OkHttpServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A server that says what a test wants it to say. */
public final class FakeServer implements AutoCloseable {

    private final Map<String, Function<Payload, Payload>> script = new ConcurrentHashMap<>();
    private final List<Payload> received = new CopyOnWriteArrayList<>();
    private final List<Payload> setups = new CopyOnWriteArrayList<>();
    private final List<PushReply> replies = new CopyOnWriteArrayList<>();
    private final List<ServerCall<Payload, Payload>> streams = new CopyOnWriteArrayList<>();
    private final Server server;
    private volatile String abilities = "{\"fuzzyWatch\":true}";
    private volatile boolean silent;

    public FakeServer() {
        this(InsecureServerCredentials.create());
    }

    public FakeServer(ServerCredentials credentials) {
        answer(MessageCatalog.SERVER_CHECK_REQUEST, request -> checked());
        answer(MessageCatalog.HEALTH_CHECK_REQUEST, request -> WireResponse.ok(MessageCatalog.HEALTH_CHECK_RESPONSE));
        ServerServiceDefinition unary = ServerServiceDefinition.builder("Request")
                .addMethod(WireMethods.REQUEST, (call, headers) -> unary(call))
                .build();
        ServerServiceDefinition stream = ServerServiceDefinition.builder("BiRequestStream")
                .addMethod(WireMethods.BI_STREAM, (call, headers) -> stream(call))
                .build();
        try {
            server = OkHttpServerBuilder.forPort(0, credentials)
                    .addService(unary)
                    .addService(stream)
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The answer to a server check. */
    static Payload checked() {
        return Payload.of(
                MessageCatalog.SERVER_CHECK_RESPONSE,
                WireResponse.start(64)
                        .text("connectionId", "1")
                        .flag("supportAbilityNegotiation", true)
                        .flag("success", true)
                        .toBytes());
    }

    /** The response to a query of a configuration. */
    static Payload content(String text) {
        return Payload.of(
                MessageCatalog.CONFIG_QUERY_RESPONSE,
                WireResponse.start(64)
                        .text("content", text)
                        .flag("success", true)
                        .toBytes());
    }

    /**
     * The response to a listen.
     *
     * @param changed the changed configurations, in JSON
     */
    static Payload listening(String changed) {
        return Payload.of(
                MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE,
                WireResponse.start(64)
                        .json("changedConfigs", changed)
                        .flag("success", true)
                        .toBytes());
    }

    /** A client of such servers that waits long for them, and keeps no files. */
    static ClientBuilder clientOf(String... servers) {
        return CairnClient.builder()
                .servers(servers)
                .grpcPortOffset(0)
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
    }

    /** The port to connect to; a client is built with an offset of 0. */
    public String address() {
        return "127.0.0.1:" + server.getPort();
    }

    public int port() {
        return server.getPort();
    }

    public void answer(String type, Function<Payload, Payload> answer) {
        script.put(type, answer);
    }

    public void abilities(String json) {
        abilities = json;
    }

    /** From now on nothing is answered any more, while connections stay. */
    public void fallSilent() {
        silent = true;
    }

    public List<Payload> received(String type) {
        return received.stream().filter(request -> request.type().equals(type)).toList();
    }

    public List<Payload> setups() {
        return setups;
    }

    public List<PushReply> replies() {
        return replies;
    }

    /** How many connections are set up and have not ended. */
    public int connections() {
        return streams.size();
    }

    /** Pushes to the newest connection. */
    public void push(String type, JsonOutput body) {
        ServerCall<Payload, Payload> newest = streams.get(streams.size() - 1);
        synchronized (newest) {
            newest.sendMessage(Payload.of(type, body.toBytes()));
        }
    }

    /** Ends all streams, as a server does that drops its clients. */
    public void dropAll() {
        for (ServerCall<Payload, Payload> call : List.copyOf(streams)) {
            streams.remove(call); // alone: the client may be back with a new one before all are closed
            synchronized (call) {
                call.close(Status.OK, new Metadata());
            }
        }
    }

    private ServerCall.Listener<Payload> unary(ServerCall<Payload, Payload> call) {
        call.request(2);
        return new ServerCall.Listener<>() {
            @Override
            public void onMessage(Payload request) {
                received.add(request);
                if (silent) {
                    return;
                }
                Function<Payload, Payload> answer = script.get(request.type());
                call.sendHeaders(new Metadata());
                call.sendMessage(
                        answer == null ? WireResponse.error(302, "RequestHandler Not Found") : answer.apply(request));
                call.close(Status.OK, new Metadata());
            }
        };
    }

    private ServerCall.Listener<Payload> stream(ServerCall<Payload, Payload> call) {
        call.sendHeaders(new Metadata());
        call.request(Integer.MAX_VALUE);
        return new ServerCall.Listener<>() {
            @Override
            public void onMessage(Payload message) {
                if (!message.type().equals(MessageCatalog.CONNECTION_SETUP_REQUEST)) {
                    replies.add(PushReply.of(message));
                    return;
                }
                setups.add(message);
                // Tests that find the connection among the others and push to it do so after the acknowledgement.
                synchronized (call) {
                    streams.add(call);
                    call.sendMessage(Payload.of(
                            MessageCatalog.SETUP_ACK_REQUEST,
                            new JsonOutput(64).json("abilityTable", abilities).toBytes()));
                }
            }

            @Override
            public void onCancel() {
                streams.remove(call);
            }

            @Override
            public void onHalfClose() {
                streams.remove(call);
            }
        };
    }

    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
