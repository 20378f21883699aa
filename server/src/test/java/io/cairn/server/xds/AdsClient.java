package io.cairn.server.xds;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Frames;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client of the mesh edge that sends and reads single frames. */
final class AdsClient implements AutoCloseable {

    private static final int LARGEST_RESPONSE = 64 * 1024 * 1024;

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    final CompletableFuture<Status> end = new CompletableFuture<>();
    private final LinkedBlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    private final ManagedChannel channel;
    private final ClientCall<byte[], byte[]> call;
    private final boolean delta;
    private Frames.Message node;

    private AdsClient(ManagedChannel channel, boolean delta, Map<String, String> headers, Frames.Message node) {
        this.channel = channel;
        this.delta = delta;
        this.node = node;
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .setFullMethodName("envoy.service.discovery.v3.AggregatedDiscoveryService/"
                        + (delta ? "DeltaAggregatedResources" : "StreamAggregatedResources"))
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
        Metadata metadata = new Metadata();
        headers.forEach((name, value) -> metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
        call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        received.add(message);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                metadata);
        call.request(Integer.MAX_VALUE);
    }

    static AdsClient sotw(int port, String agent, Map<String, String> metadata) {
        return open(port, false, Map.of(), Frames.node("node-1", agent, metadata));
    }

    static AdsClient delta(int port, String agent, Map<String, String> metadata) {
        return open(port, true, Map.of(), Frames.node("node-1", agent, metadata));
    }

    static AdsClient open(int port, boolean delta, Map<String, String> headers, Frames.Message node) {
        return new AdsClient(
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .maxInboundMessageSize(LARGEST_RESPONSE)
                        .build(),
                delta,
                headers,
                node);
    }

    private Frames.Message begun(int nodeField) {
        Frames.Message request = new Frames.Message();
        if (node != null) {
            request.message(nodeField, node);
            node = null;
        }
        return request;
    }

    void ask(XdsType type, String nonce, String... names) {
        call.sendMessage(begun(2).texts(3, List.of(names))
                .text(4, type.typeUrl())
                .text(5, nonce)
                .toBytes());
    }

    void refuse(Frames.Response response, String why, String... names) {
        call.sendMessage(begun(2).texts(3, List.of(names))
                .text(4, XdsType.named(response.type()).typeUrl())
                .text(5, response.nonce())
                .message(6, Frames.error(why))
                .toBytes());
    }

    void subscribe(XdsType type, String... names) {
        call.sendMessage(
                begun(1).text(2, type.typeUrl()).texts(3, List.of(names)).toBytes());
    }

    /** Subscribes with the versions that the client has from an earlier stream. */
    void subscribe(XdsType type, Map<String, String> versions, Collection<String> names) {
        Frames.Message request = begun(1).text(2, type.typeUrl()).texts(3, List.copyOf(names));
        versions.forEach((name, version) ->
                request.message(5, new Frames.Message().text(1, name).text(2, version)));
        call.sendMessage(request.toBytes());
    }

    void unsubscribe(XdsType type, Collection<String> names) {
        call.sendMessage(
                begun(1).text(2, type.typeUrl()).texts(4, List.copyOf(names)).toBytes());
    }

    void ackDelta(Frames.Response response) {
        call.sendMessage(begun(1).text(2, XdsType.named(response.type()).typeUrl())
                .text(6, response.nonce())
                .toBytes());
    }

    /** The next response, as its bytes. */
    byte[] nextBytes() throws InterruptedException {
        byte[] next = received.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(next)
                .as("a response within %d s (the stream: %s)", PATIENCE.toSeconds(), end)
                .isNotNull();
        return next;
    }

    Frames.Response next() throws InterruptedException {
        return Frames.read(nextBytes(), delta);
    }

    /** The next response; null when there is none yet. */
    Frames.@Nullable Response poll() {
        byte[] next = received.poll();
        return next == null ? null : Frames.read(next, delta);
    }

    /** Whether a response comes within that time. */
    boolean getsSomethingWithin(long millis) throws InterruptedException {
        return received.poll(millis, TimeUnit.MILLISECONDS) != null;
    }

    @Override
    public void close() {
        call.cancel("closed", null);
        channel.shutdownNow();
    }
}
