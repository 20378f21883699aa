package io.cairn.server.naming.health;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Calls {@code grpc.health.v1.Health/Check} over its own connection, without TLS. */
final class GrpcProbe implements AutoCloseable {

    /** For the whole check. */
    static final int ANSWER_MILLIS = 2_000;

    private static final int MAX_ANSWER_BYTES = 4 * 1024;
    private static final int CLOSE_MILLIS = 1_000;

    private static final MethodDescriptor<HealthMessages.Request, HealthMessages.ServingStatus> CHECK =
            MethodDescriptor.<HealthMessages.Request, HealthMessages.ServingStatus>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("grpc.health.v1.Health/Check")
                    .setRequestMarshaller(HealthMessages.REQUEST)
                    .setResponseMarshaller(HealthMessages.RESPONSE)
                    .build();

    private final ClientSockets sockets;
    private final Set<ManagedChannel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    GrpcProbe(ClientSockets sockets) {
        this.sockets = sockets;
    }

    CompletableFuture<ProbeResult> check(Target target, HealthCheck.Grpc check) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(target.address())
                .overrideAuthority(target.authority())
                .usePlaintext()
                .proxyDetector(address -> null)
                .eventLoopGroup(sockets.loops())
                .channelFactory(sockets.channels())
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, ClientSockets.CONNECT_MILLIS)
                .directExecutor()
                .offloadExecutor(sockets.loops())
                .disableRetry()
                .maxInboundMessageSize(MAX_ANSWER_BYTES)
                .userAgent("Cairn-Health-Check")
                .build();
        CompletableFuture<ProbeResult> result = new CompletableFuture<>();
        open.add(channel);
        ClientCall<HealthMessages.Request, HealthMessages.ServingStatus> call =
                channel.newCall(CHECK, CallOptions.DEFAULT.withDeadlineAfter(ANSWER_MILLIS, TimeUnit.MILLISECONDS));
        call.start(
                new ClientCall.Listener<>() {
                    private HealthMessages.ServingStatus seen = HealthMessages.ServingStatus.UNKNOWN;

                    @Override
                    public void onMessage(HealthMessages.ServingStatus message) {
                        seen = message;
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        open.remove(channel);
                        channel.shutdownNow();
                        result.complete(status.isOk() ? evaluate(seen) : evaluate(status));
                    }
                },
                new Metadata());
        call.request(2);
        call.sendMessage(new HealthMessages.Request(check.service()));
        call.halfClose();
        if (closed) {
            channel.shutdownNow();
        }
        return result;
    }

    /** Of a completed call. */
    static ProbeResult evaluate(HealthMessages.ServingStatus status) {
        return switch (status) {
            case SERVING -> ProbeResult.passed("SERVING");
            case NOT_SERVING, SERVICE_UNKNOWN -> ProbeResult.down(status.name());
            case UNKNOWN -> ProbeResult.failed("UNKNOWN (expected: SERVING)");
        };
    }

    /** Of a failed call. */
    static ProbeResult evaluate(Status status) {
        Throwable cause = status.getCause();
        return switch (status.getCode()) {
            case UNIMPLEMENTED -> ProbeResult.down("UNIMPLEMENTED (expected: a server of grpc.health.v1.Health)");
            case NOT_FOUND -> ProbeResult.down("NOT_FOUND (expected: a service that the server knows)");
            case DEADLINE_EXCEEDED -> ProbeResult.failed("no answer within " + ANSWER_MILLIS + " ms");
            // A status with a cause was created here, not sent by the target.
            case UNAVAILABLE, UNKNOWN ->
                cause == null ? ProbeResult.failed(text(status)) : ClientSockets.notConnected(cause);
            default -> ProbeResult.failed(text(status));
        };
    }

    private static String text(Status status) {
        String description = status.getDescription();
        return description == null ? status.getCode().name() : status.getCode() + " " + description;
    }

    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        for (ManagedChannel channel : open) {
            channel.shutdownNow();
            try {
                channel.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
