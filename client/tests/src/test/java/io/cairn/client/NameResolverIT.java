package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.grpc.CairnNameResolverProvider;
import io.cairn.client.naming.Registration;
import io.grpc.CallOptions;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.NameResolverRegistry;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A gRPC channel of the user's own that follows the registry. */
class NameResolverIT {

    @RegisterExtension
    static final TestedServer SERVER = new TestedServer();

    private static final MethodDescriptor<String, String> WHO = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("Who/are")
            .setRequestMarshaller(new Text())
            .setResponseMarshaller(new Text())
            .build();

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

    private static Server backend(String name) throws IOException {
        return NettyServerBuilder.forPort(0, InsecureServerCredentials.create())
                .addService(ServerServiceDefinition.builder("Who")
                        .addMethod(WHO, ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(name);
                            answer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
    }

    private static String ask(ManagedChannel channel) {
        return ClientCalls.blockingUnaryCall(channel, WHO, CallOptions.DEFAULT.withWaitForReady(), "you");
    }

    @Test
    void theNamesOfHostsAreLookedUpOnTheChannelsThreads() throws Exception {
        Server one = backend("one");
        BlockingQueue<Runnable> lookups = new LinkedBlockingQueue<>();
        try (CairnClient client = SERVER.newClient()) {
            NameResolverRegistry registry = NameResolverRegistry.getDefaultRegistry();
            CairnNameResolverProvider provider = new CairnNameResolverProvider(client);
            registry.register(provider);
            String group = SERVER.unique("hosts");
            client.naming().register(client.naming().service(group, "who"), Instance.of("localhost", one.getPort()));
            ManagedChannel channel = NettyChannelBuilder.forTarget("cairn:///" + group + "/who")
                    .offloadExecutor(lookups::add)
                    .usePlaintext()
                    .build();
            try {
                CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> ask(channel));
                Runnable lookup = lookups.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                // While it has not come back, the client goes on.
                assertThat(client.naming().healthy(client.naming().service(group, "who")))
                        .hasSize(1);
                assertThat(answer).isNotDone();
                assertThat(lookup).isNotNull();
                lookup.run();
                assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("one");
            } finally {
                channel.shutdownNow();
                registry.deregister(provider);
            }
        } finally {
            one.shutdownNow();
        }
    }

    @Test
    void aChannelFollowsTheInstancesOfItsService() throws IOException {
        Server one = backend("one");
        Server two = backend("two");
        try (CairnClient client = SERVER.newClient()) {
            NameResolverRegistry registry = NameResolverRegistry.getDefaultRegistry();
            CairnNameResolverProvider provider = new CairnNameResolverProvider(client);
            registry.register(provider);
            assertThat(registry.getDefaultScheme()).isEqualTo("dns");
            String group = SERVER.unique("shop");
            ServiceKey service = client.naming().service(group, "who");
            ManagedChannel channel = NettyChannelBuilder.forTarget("cairn:///" + group + "/who")
                    .defaultLoadBalancingPolicy("round_robin")
                    .usePlaintext()
                    .build();
            try {
                assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(channel, WHO, CallOptions.DEFAULT, "you"))
                        .isInstanceOf(StatusRuntimeException.class)
                        .hasMessageContaining("has no healthy instance");

                Registration first = client.naming().register(service, Instance.of("127.0.0.1", one.getPort()));
                assertThat(ask(channel)).isEqualTo("one");
                client.naming().register(service, Instance.of("127.0.0.1", two.getPort()));
                Set<String> both = new HashSet<>();
                await().until(() -> {
                    both.add(ask(channel));
                    return both.size() == 2;
                });
                first.close();
                // After the list has reached the channel, all calls go to the second one.
                await().until(() ->
                        IntStream.range(0, 4).allMatch(i -> ask(channel).equals("two")));

                assertThatThrownBy(() ->
                                NettyChannelBuilder.forTarget("cairn:///a/b/c").build())
                        .hasMessageContaining("cairn:///group/service");
            } finally {
                channel.shutdownNow();
                registry.deregister(provider);
            }
        } finally {
            one.shutdownNow();
            two.shutdownNow();
        }
    }
}
