package io.cairn.server.xds.clients;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
        server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(ServerServiceDefinition.builder("io.cairn.test.Backend")
                        .addMethod(ASK, ServerCalls.asyncUnaryCall((request, observer) -> {
                            observer.onNext(Integer.toString(port()));
                            observer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
    }

    int port() {
        return server.getPort();
    }

    /** The port of the backend that answers a call through the channel. */
    static int ask(Channel channel) {
        CallOptions options = CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(10, TimeUnit.SECONDS);
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
