package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.support.WireClient;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/** One of very many subscribers: it acknowledges what it is pushed and keeps a check sum of the last list alone. */
final class ServiceSubscriber implements AutoCloseable {

    private final ManagedChannel channel;
    private final StreamObserver<Payload> stream;
    private final AtomicInteger pushes = new AtomicInteger();
    private final AtomicInteger setBacks = new AtomicInteger();
    private volatile Seen last = new Seen(0, 0);

    /** A list as far as it is kept. */
    record Seen(long refMillis, long checkSum) {

        static Seen of(String body) {
            int hosts = body.indexOf("\"hosts\":[");
            int end = body.indexOf("\"lastRefTime\":", hosts);
            if (hosts < 0 || end < 0) {
                throw new IllegalArgumentException("no list: " + body);
            }
            CRC32 sum = new CRC32();
            sum.update(body.substring(hosts, end).getBytes(StandardCharsets.UTF_8));
            int number = end + "\"lastRefTime\":".length();
            return new Seen(Long.parseLong(body.substring(number, body.indexOf(',', number))), sum.getValue());
        }
    }

    ServiceSubscriber(int grpcPort) {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", grpcPort)
                .usePlaintext()
                .maxInboundMessageSize(64 * 1024 * 1024)
                .build();
        stream = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(WireMethods.BI_STREAM, CallOptions.DEFAULT), new Pushes());
        stream.onNext(WireClient.payload("ConnectionSetupRequest", """
                {"clientVersion":"Nacos-Go-Client:v2.2.0","tenant":"","labels":{"source":"sdk","module":"naming"}}"""));
    }

    /** True when it is subscribed; false when the server has not taken note of the connection yet. */
    boolean trySubscribe(String service) {
        Payload answer = ClientCalls.blockingUnaryCall(
                channel,
                WireMethods.REQUEST,
                CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                WireClient.payload("SubscribeServiceRequest", ServiceClient.subscription(service)));
        String body = answer.bodyText();
        if (!body.contains("\"hosts\":[")) {
            return false;
        }
        Seen seen = Seen.of(body);
        synchronized (this) {
            if (seen.refMillis() > last.refMillis()) {
                last = seen;
            }
        }
        return true;
    }

    Seen last() {
        return last;
    }

    int pushes() {
        return pushes.get();
    }

    /** How often a push was older than the one before. */
    int setBacks() {
        return setBacks.get();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    private final class Pushes implements StreamObserver<Payload> {

        @Override
        public void onNext(Payload push) {
            String body = push.bodyText();
            int id = body.indexOf("\"requestId\":\"") + "\"requestId\":\"".length();
            String requestId = body.substring(id, body.indexOf('"', id));
            if (push.type().equals("NotifySubscriberRequest")) {
                pushes.incrementAndGet();
                Seen seen = Seen.of(body);
                synchronized (ServiceSubscriber.this) {
                    if (seen.refMillis() < last.refMillis()) {
                        setBacks.incrementAndGet();
                    }
                    last = seen;
                }
            }
            stream.onNext(WireClient.payload(
                    push.type().replace("Request", "Response"),
                    "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"" + requestId + "\",\"success\":true}"));
        }

        @Override
        public void onError(Throwable failure) {
            // The test finds out: it does not see the final state.
        }

        @Override
        public void onCompleted() {}
    }
}
