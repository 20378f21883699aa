package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Endpoint;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Services of which one endpoint each can change: its port follows from the version of the service, since a proxy gets no
 * metadata. Used by one thread.
 */
final class MeshServices {
    /** Of an endpoint that does not change, and of the other one before its first change. */
    private static final int PORT = 8080;

    private static final int REGISTERED_AT_ONCE = 16;

    private final GrpcConnection provider;
    private final String prefix;
    private final int endpoints;
    private final int[] versions;

    MeshServices(GrpcConnection provider, String prefix, int services, int endpoints) {
        this.provider = provider;
        this.prefix = prefix;
        this.endpoints = endpoints;
        versions = new int[services];
    }

    /** Registers all of them. */
    void register() throws InterruptedException {
        Batch.run(
                "register",
                versions.length,
                REGISTERED_AT_ONCE,
                Duration.ofSeconds(30 + versions.length / 100),
                this::registration);
    }

    int count() {
        return versions.length;
    }

    int version(int service) {
        return versions[service];
    }

    /** Moves an endpoint of the service to another port, by one request; completes when the server has accepted it. */
    CompletableFuture<String> change(int service) {
        versions[service]++;
        return registration(service);
    }

    private CompletableFuture<String> registration(int service) {
        return provider.ask(NamingMessages.registerEndpoints(
                prefix + "-" + service,
                IntStream.range(0, endpoints)
                        .mapToObj(i -> new Endpoint(
                                "10." + (service >> 8) + "." + (service & 0xff) + "." + (i + 1),
                                i == 0 ? PORT + versions[service] : PORT))
                        .toList()));
    }

    /** The version that these endpoints show; negative when they are not those of one. */
    int versionOf(int count, int sumOfPorts) {
        return count == endpoints ? sumOfPorts - count * PORT : -1;
    }
}
