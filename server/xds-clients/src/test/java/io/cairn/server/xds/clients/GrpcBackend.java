package io.cairn.server.xds.clients;

import static io.cairn.testing.Patience.PATIENCE;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.xds.XdsServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A gRPC server that answers with its port. */
final class GrpcBackend implements AutoCloseable {

    private static final MethodDescriptor<String, String> ASK = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("io.cairn.test.Backend/Ask")
            .setRequestMarshaller(new Text())
            .setResponseMarshaller(new Text())
            .build();

    private final Server server;

    GrpcBackend() throws IOException {
        this(0);
    }

    /** @param port 0 for any */
    GrpcBackend(int port) throws IOException {
        this(Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create()));
        server.start();
    }

    /**
     * A backend that takes its listener over xDS; it serves once it has that.
     *
     * @throws java.util.concurrent.TimeoutException when it has none in time
     */
    static GrpcBackend overXds(int port) throws Exception {
        GrpcBackend backend = new GrpcBackend(XdsServerBuilder.forPort(port, InsecureServerCredentials.create()));
        CompletableFuture<Void> started = new CompletableFuture<>();
        Thread starter = new Thread(() -> {
            try {
                backend.server.start();
                started.complete(null);
            } catch (IOException | RuntimeException e) {
                started.completeExceptionally(e);
            }
        });
        starter.setDaemon(true);
        starter.start();
        try {
            started.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return backend;
        } catch (Exception e) {
            backend.close();
            throw e;
        }
    }

    private GrpcBackend(ServerBuilder<?> builder) {
        server = builder.addService(ServerServiceDefinition.builder("io.cairn.test.Backend")
                        .addMethod(ASK, ServerCalls.asyncUnaryCall((request, observer) -> {
                            observer.onNext(Integer.toString(port()));
                            observer.onCompleted();
                        }))
                        .build())
                .build();
    }

    int port() {
        return server.getPort();
    }

    /** The port of the backend that answers a call through the channel. */
    static int ask(Channel channel) {
        CallOptions options =
                CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return Integer.parseInt(ClientCalls.blockingUnaryCall(channel, ASK, options, ""));
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {

        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
