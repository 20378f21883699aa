package io.cairn.server;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A short life of a server on a temporary folder, in which it is used over both ports, for the JVM to record the classes
 * and methods that one needs.
 */
final class TrainingRun {

    private static final int ROUNDS = 50;
    private static final long PATIENCE_SECONDS = 10;

    private TrainingRun() {}

    /** @throws IllegalStateException when the server does not answer as it should */
    static void run(List<String> settings) {
        try (CairnServer server =
                CairnServer.builder().temporary().arguments(settings).start()) {
            overHttp(server);
            overGrpc(server);
        }
    }

    private static void overHttp(CairnServer server) {
        HttpClient client = HttpClient.newHttpClient();
        String base = "http://" + server.address() + server.contextPath();
        for (int i = 0; i < ROUNDS; i++) {
            send(
                    client,
                    HttpRequest.newBuilder(URI.create(base + "/v1/cs/configs"))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(HttpRequest.BodyPublishers.ofString(
                                    "dataId=train&group=DEFAULT_GROUP&content=v" + i)));
            send(client, HttpRequest.newBuilder(URI.create(base + "/v1/cs/configs?dataId=train&group=DEFAULT_GROUP")));
        }
        send(client, HttpRequest.newBuilder(URI.create(base + "/v1/console/health/readiness")));
        send(client, HttpRequest.newBuilder(URI.create(base + "/actuator/prometheus")));
    }

    private static void send(HttpClient client, HttpRequest.Builder request) {
        try {
            int status = client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status != 200) {
                throw new IllegalStateException("the training run was answered with status " + status);
            }
        } catch (IOException e) {
            throw new IllegalStateException("the training run could not reach its server", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the training run was interrupted", e);
        }
    }

    private static void overGrpc(CairnServer server) {
        ManagedChannel channel = NettyChannelBuilder.forTarget(server.host() + ':' + server.grpcPort())
                .usePlaintext()
                .build();
        try {
            ask(channel, WireMethods.REQUEST, "ServerCheckRequest", "{}");
            ask(
                    channel,
                    WireMethods.BI_STREAM,
                    "ConnectionSetupRequest",
                    "{\"clientVersion\":\"training\",\"labels\":{\"module\":\"config\"},\"abilityTable\":{}}");
            for (int i = 0; i < ROUNDS; i++) {
                ask(channel, WireMethods.REQUEST, "HealthCheckRequest", "{}");
                ask(channel, WireMethods.REQUEST, "ConfigQueryRequest", "{\"dataId\":\"train\",\"group\":\"G\"}");
            }
        } finally {
            channel.shutdownNow();
        }
    }

    /** Sends one message and waits for one. */
    private static void ask(
            ManagedChannel channel, MethodDescriptor<Payload, Payload> method, String type, String json) {
        CompletableFuture<Payload> answer = new CompletableFuture<>();
        ClientCall<Payload, Payload> call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(Payload message) {
                        answer.complete(message);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        answer.completeExceptionally(status.asRuntimeException());
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(Payload.of(type, json.getBytes(StandardCharsets.UTF_8)));
        if (method.getType() == MethodDescriptor.MethodType.UNARY) {
            call.halfClose();
        }
        try {
            answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the training run was not answered to " + type, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the training run was interrupted", e);
        }
    }
}
