package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.http.naming.InstanceSearch.By;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InstanceSearchTest {

    private static final List<Instance> ALL = List.of(
            instance("10.0.0.10", 80, true, 3, Map.of("zone", "North")),
            instance("10.0.0.9", 8080, false, 1, Map.of("zone", "south")),
            instance("10.0.0.9", 443, true, 2, Map.of()),
            instance("node-b.example", 80, true, 1, Map.of()));

    private static Instance instance(
            String ip, int port, boolean healthy, double weight, Map<String, String> metadata) {
        return new Instance(
                new InstanceKey(ip, port, InstanceKey.DEFAULT_CLUSTER), weight, healthy, true, true, metadata, null);
    }

    private static List<String> found(String text, Boolean healthy, By by, boolean descending) {
        return new InstanceSearch(text, healthy, by, descending)
                .of(ALL).stream()
                        .map(each -> each.key().ip() + ':' + each.key().port())
                        .toList();
    }

    @Test
    void keepsTheOrderOfTheRegistryUnlessAnotherIsAsked() {
        assertThat(found("", null, null, false))
                .containsExactly("10.0.0.10:80", "10.0.0.9:8080", "10.0.0.9:443", "node-b.example:80");
    }

    @Test
    void sortsAddressesByTheirNumbers() {
        assertThat(found("", null, By.ADDRESS, false))
                .containsExactly("10.0.0.9:443", "10.0.0.9:8080", "10.0.0.10:80", "node-b.example:80");
        assertThat(found("", null, By.ADDRESS, true)).startsWith("node-b.example:80", "10.0.0.10:80");
    }

    @Test
    void sortsEqualsByAddressInBothDirections() {
        assertThat(found("", null, By.WEIGHT, false))
                .containsExactly("10.0.0.9:8080", "node-b.example:80", "10.0.0.9:443", "10.0.0.10:80");
        assertThat(found("", null, By.HEALTH, true))
                .containsExactly("10.0.0.9:443", "10.0.0.10:80", "node-b.example:80", "10.0.0.9:8080");
    }

    @Test
    void findsPartsOfAddressesAndOfMetadata() {
        assertThat(found("0.9:4", null, null, false)).containsExactly("10.0.0.9:443");
        assertThat(found("zone=north", null, null, false)).containsExactly("10.0.0.10:80");
        assertThat(found("node-b", null, null, false)).containsExactly("node-b.example:80");
        assertThat(found("absent", null, null, false)).isEmpty();
    }

    @Test
    void selectsByHealth() {
        assertThat(found("", false, null, false)).containsExactly("10.0.0.9:8080");
        assertThat(found("10.0.0.9", true, null, false)).containsExactly("10.0.0.9:443");
    }
}
