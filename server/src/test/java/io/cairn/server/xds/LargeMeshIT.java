package io.cairn.server.xds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.wiring.lifecycle.LoadingServer;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.ViewState;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The mesh edge of a server with 1,000 services of 100 instances each. */
class LargeMeshIT {

    private static final Logger log = LoggerFactory.getLogger(LargeMeshIT.class);

    private static final int SERVICES = 1_000;
    private static final int INSTANCES = 100;
    private static final int CHANGES = 40;
    private static final long MOST_NANOS_OF_A_CHANGE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MOST_TABLE_BYTES = 10_000_000;

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary();

    @BeforeAll
    static void register() {
        IntStream.range(0, SERVICES).forEach(service -> register(service, 8_080));
    }

    private static String name(int service) {
        return "large-" + service;
    }

    /** @param lastPort the port of the last instance, which all changes change */
    private static void register(int service, int lastPort) {
        RegistryParts naming = cairn.part(RegistryParts.class);
        Publisher publisher = naming.registry().connection(name(service), new Publisher.Client("127.0.0.1", 1, "", ""));
        List<Instance> instances = IntStream.range(0, INSTANCES)
                .mapToObj(i -> Instance.of(
                        "10." + (service >> 8) + '.' + (service & 255) + '.' + i,
                        i == INSTANCES - 1 ? lastPort : 8_080))
                .toList();
        naming.registrations()
                .register(
                        publisher,
                        new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, name(service)),
                        instances);
    }

    @Test
    void changeEncodesTheEndpointsOfItsServiceAlone() {
        XdsStreams streams = cairn.part(XdsStreams.class);
        try (DeltaProxy proxy = new DeltaProxy("large")) {
            proxy.connect(cairn.grpcPort());
            await().until(() -> {
                proxy.advance();
                return proxy.isAnswered();
            });
            assertThat(proxy.endpoints()).hasSize(SERVICES);
            assertThat(streams.encodedEndpoints()).isEqualTo(SERVICES);

            long bytes = tableBytes(streams);
            long before = meshCpuNanos();
            for (int change = 1; change <= CHANGES; change++) {
                int service = change * 7;
                String version = proxy.endpoints().get(name(service));
                register(service, 8_080 + change);
                await().pollInterval(Duration.ofMillis(1)).until(() -> {
                    proxy.advance();
                    return !proxy.endpoints().get(name(service)).equals(version);
                });
                assertThat(streams.encodedEndpoints()).isEqualTo(SERVICES + change);
            }
            long nanos = (meshCpuNanos() - before) / CHANGES;
            log.info("Tables: {} bytes; CPU of one change: {} us", bytes, nanos / 1_000);
            assertThat(bytes).isBetween(1_000_000L, MOST_TABLE_BYTES);
            assertThat(nanos).isLessThanOrEqualTo(MOST_NANOS_OF_A_CHANGE);
            assertThat(proxy.repeated()).isEmpty();
            assertThat(proxy.removed()).isEmpty();
        }
    }

    /** The bytes of all resources of the view of the proxy, and of their names. */
    private static long tableBytes(XdsStreams streams) {
        ViewState state = streams.streams().stream()
                .filter(stream -> stream.node().id().equals("large"))
                .findFirst()
                .orElseThrow()
                .view()
                .state();
        long bytes = 0;
        for (XdsType type : XdsType.values()) {
            for (Map.Entry<String, TableEntry> each :
                    state.table(type).entries().entrySet()) {
                bytes += each.getKey().getBytes(StandardCharsets.UTF_8).length;
                bytes += each.getValue().resource().any().length;
            }
        }
        return bytes;
    }

    /** The CPU time of the thread that writes the views. */
    private static long meshCpuNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        List<Thread> mesh = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("cairn-mesh"))
                .toList();
        assertThat(mesh).hasSize(1);
        return threads.getThreadCpuTime(mesh.get(0).getId());
    }

    @Test
    void streamIsUnavailableUntilTheServerHasLoadedWhatIsStored() throws Exception {
        try (LoadingServer loading = new LoadingServer(cairn);
                MeshClient early = MeshClient.open(cairn.grpcPort(), Map.of(), Map.of())) {
            assertThat(early.endAfterAsking()).isEqualTo("UNAVAILABLE the server is not ready yet");
        }
        try (MeshClient later = MeshClient.open(cairn.grpcPort(), Map.of(), Map.of("services", "large-1"))) {
            assertThat(later.clusters()).containsExactly("large-1");
        }
    }
}
