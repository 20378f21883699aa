package io.cairn.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.cairn.api.wire.connection.PushReply;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A short run of a server on a temporary folder with requests on both ports, for the JVM to record the used classes and methods.
 */
final class TrainingRun {

    private static final int ROUNDS = 50;
    /** At the lowest priority, on a busy machine, an answer takes minutes; the waiting script limits the CPU time. */
    private static final long PATIENCE_SECONDS = 900;

    /** For the same reason no request may time out. */
    private static final List<String> PATIENT = List.of(
            "--cairn.store.answer-within=15m",
            "--cairn.limits.head-time=15m",
            "--cairn.connections.silence=15m",
            "--cairn.connections.detection-timeout=15m",
            "--cairn.grpc.keep-alive-timeout=15m",
            "--cairn.push.ack-timeout=15m");

    private TrainingRun() {}

    /** @throws IllegalStateException for a wrong answer */
    static void run(List<String> settings) {
        List<String> all = new ArrayList<>(PATIENT);
        all.addAll(settings);
        try (CairnServer server =
                CairnServer.builder().temporary().arguments(all).start()) {
            overHttp(server);
            overGrpc(server);
        }
    }

    private static void overHttp(CairnServer server) {
        HttpClient client = HttpClient.newHttpClient();
        String base = "http://" + server.address() + server.contextPath();
        String instance = "?serviceName=train&ip=127.0.0.1&port=1";
        for (int i = 0; i < ROUNDS; i++) {
            send(
                    client,
                    HttpRequest.newBuilder(URI.create(base + "/v1/ns/instance" + instance + "&weight=" + i))
                            .POST(HttpRequest.BodyPublishers.noBody()));
            send(
                    client,
                    HttpRequest.newBuilder(URI.create(base + "/v1/ns/instance/beat" + instance))
                            .PUT(HttpRequest.BodyPublishers.noBody()));
            send(client, HttpRequest.newBuilder(URI.create(base + "/v1/ns/instance/list?serviceName=train")));
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
            ask(channel, "ServerCheckRequest", "{}");
            PushedTo stream = new PushedTo(channel.newCall(WireMethods.BI_STREAM, CallOptions.DEFAULT));
            stream.setUp();
            String service = "{\"serviceName\":\"trained\",\"groupName\":\"G\"";
            ask(channel, "SubscribeServiceRequest", service + ",\"subscribe\":true}");
            for (int i = 0; i < ROUNDS; i++) {
                int before = stream.pushes();
                ask(
                        channel,
                        "InstanceRequest",
                        service + ",\"type\":\"registerInstance\",\"instance\":{\"ip\":\"127.0.0.1\",\"port\":"
                                + (i + 1) + ",\"metadata\":{\"round\":\"" + i + "\"}}}");
                stream.awaitMoreThan(before);
                ask(channel, "ServiceQueryRequest", service + "}");
                ask(channel, "HealthCheckRequest", "{}");
                ask(channel, "ConfigQueryRequest", "{\"dataId\":\"train\",\"group\":\"G\"}");
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private static final class PushedTo extends ClientCall.Listener<Payload> {

        private final ClientCall<Payload, Payload> call;

        @GuardedBy("this")
        private int pushes;

        PushedTo(ClientCall<Payload, Payload> call) {
            this.call = call;
        }

        void setUp() {
            call.start(this, new Metadata());
            call.request(1);
            call.sendMessage(Payload.of(
                    MessageCatalog.CONNECTION_SETUP_REQUEST,
                    "{\"clientVersion\":\"training\",\"labels\":{\"module\":\"naming\"},\"abilityTable\":{}}"
                            .getBytes(StandardCharsets.UTF_8)));
            awaitMoreThan(0);
        }

        @Override
        public void onMessage(Payload message) {
            if (message.type().equals(MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST)) {
                PushReply push = PushReply.of(message);
                call.sendMessage(Payload.of(
                        MessageCatalog.NOTIFY_SUBSCRIBER_RESPONSE,
                        ("{\"resultCode\":200,\"requestId\":\"" + push.requestId() + "\"}")
                                .getBytes(StandardCharsets.UTF_8)));
            }
            call.request(1);
            synchronized (this) {
                pushes++;
                notifyAll();
            }
        }

        synchronized int pushes() {
            return pushes;
        }

        synchronized void awaitMoreThan(int before) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (pushes <= before) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new IllegalStateException("the training run was not pushed to");
                }
                try {
                    wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("the training run was interrupted", e);
                }
            }
        }
    }

    private static void ask(ManagedChannel channel, String type, String json) {
        CompletableFuture<Payload> answer = new CompletableFuture<>();
        ClientCall<Payload, Payload> call = channel.newCall(WireMethods.REQUEST, CallOptions.DEFAULT);
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
        call.halfClose();
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
