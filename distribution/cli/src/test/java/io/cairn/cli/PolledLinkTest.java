package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.SideException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PolledLinkTest {

    private static final String LIST = "/v1/ns/catalog/services";

    private final List<String> heard = new ArrayList<>();
    private FakeNacos nacos;
    private PolledLink link;

    @BeforeEach
    void start() throws IOException {
        nacos = new FakeNacos();
        nacos.bodies.put("/v1/console/server/state", "{\"version\":\"1.4.2\"}");
        link = PolledLink.silent(nacos.bridge(100));
        lists("a 1", "b 1");
        link.watch(service("a"), key -> heard.add(key.name()));
        link.turn();
    }

    @AfterEach
    void stop() {
        nacos.close();
    }

    private static ServiceKey service(String name) {
        return new ServiceKey(Namespace.DEFAULT, "G", name);
    }

    /** @param services each a name and a weight */
    private void lists(String... services) {
        nacos.bodies.put(
                LIST,
                Arrays.stream(services)
                        .map(service -> service.split(" "))
                        .map(parts -> "{\"serviceName\":\"" + parts[0]
                                + "\",\"groupName\":\"G\",\"clusterMap\":{\"DEFAULT\":{\"hosts\":[{\"weight\":"
                                + parts[1]
                                + "}]}}}")
                        .collect(Collectors.joining(",", "[", "]")));
    }

    @Test
    void hearsOfChangedNewAndRemovedServices() {
        link.turn();
        assertThat(heard).as("of no change").isEmpty();
        lists("a 1", "b 2");
        link.turn();
        assertThat(heard).containsExactly("b");
        heard.clear();
        lists("b 2", "c 1");
        link.turn();
        assertThat(heard).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void aServerThatDidNotAnswerIsBackOnce() {
        nacos.statuses.put(LIST, 503);
        link.turn();
        link.turn();
        assertThat(link.hasLostConnection()).isTrue();
        assertThat(link.reconnections()).isZero();
        nacos.statuses.remove(LIST);
        lists("a 1");
        link.turn();
        link.turn();
        assertThat(link.hasLostConnection()).isFalse();
        assertThat(link.reconnections()).isEqualTo(1);
        assertThat(heard).containsExactly("b");
    }

    @Test
    void aServerThatRefusesIsNotAway() {
        nacos.statuses.put(LIST, 403);
        link.turn();
        assertThat(link.hasLostConnection()).isFalse();
    }

    @Test
    void namesTheLimitOfItsCopies() {
        assertThatThrownBy(() -> link.mirror(service("a"), List.of(FakeNacos.copy(80))))
                .isInstanceOfSatisfying(
                        SideException.class, e -> assertThat(e.isTemporary()).isFalse())
                .hasMessageContaining("not more than 1000 with --rate 100 (raise --rate)");
        link.mirror(service("a"), List.of());
    }

    @Test
    void theRateAloneLimitsTheCopies() {
        assertThat(LeasedCopies.most(nacos.bridge(1_000))).isEqualTo(10_000);
        nacos.bodies.put("/v1/console/server/state", "{\"version\":\"2.5.0\"}");
        assertThat(LeasedCopies.most(nacos.bridge(1_000))).isEqualTo(2_000);
    }

    private void show(int... ports) {
        String host = "{\"ip\":\"10.0.0.1\",\"port\":%s,\"weight\":1,\"valid\":true,\"enabled\":true,"
                + "\"metadata\":{\"cairn.bridge.from\":\"old:8848\"}}";
        nacos.bodies.put(
                LIST,
                Arrays.stream(ports)
                        .mapToObj(port -> host.formatted(port))
                        .collect(Collectors.joining(
                                ",",
                                "[{\"serviceName\":\"a\",\"groupName\":\"G\",\"clusterMap\":{\"DEFAULT\":{\"hosts\":[",
                                "]}}}]")));
    }

    private static Map<ServiceKey, List<Instance>> left(BridgeServices services) {
        return services.keepLeft(Namespace.DEFAULT, "old:8848", (key, copy) -> false);
    }

    @Test
    void copiesThatWereTakenOverAreKnownUntilTheBridgeShowsItsOwn() {
        show(80);
        try (BridgeServices services = BridgeServices.following(nacos.bridge(100), link, heard::add)) {
            left(services);
            show();
            assertThat(left(services))
                    .as("a client may have taken the place")
                    .containsValue(List.of(FakeNacos.copy(80)));
            services.mirror(service("a"), List.of());
            assertThat(left(services)).isEmpty();
        }
    }

    @Test
    void persistentCopiesGetNoHeartbeats() {
        show(80, 81);
        try (BridgeServices services = BridgeServices.following(nacos.bridge(100), link, heard::add)) {
            assertThat(services.keepLeft(Namespace.DEFAULT, "old:8848", (key, copy) -> copy.port() == 81))
                    .containsOnlyKeys(service("a"))
                    .containsValue(List.of(FakeNacos.copy(80)));
        }
    }
}
