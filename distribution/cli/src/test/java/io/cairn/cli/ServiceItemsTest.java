package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceItemsTest {

    private static final int SERVICES = 500;

    private static String page(int begin) {
        return IntStream.range(begin, Math.min(SERVICES, begin + ServiceItems.PAGE))
                .mapToObj(number -> "{\"serviceName\":\"s-" + number + "\",\"groupName\":\"G\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** A real Nacos 1.3.0 counts from 0; a 2.5.0 from 1, and takes 0 for 1. */
    @ParameterizedTest
    @CsvSource({"1.3.0, 0", "1.4.2, 1", "2.5.0, 1"})
    void listsEachServiceOnce(String version, int first) throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            nacos.bodies.put("/v1/console/server/state", "{\"version\":\"" + version + "\"}");
            for (int number = 0; number < 5; number++) {
                nacos.bodies.put(
                        "/v1/ns/catalog/services#" + number, page(Math.max(0, number - first) * ServiceItems.PAGE));
            }
            List<String> names = new ArrayList<>();
            ServiceItems.list(nacos.bridge(1_000), Namespace.DEFAULT, (key, item) -> names.add(key.name()));

            assertThat(names).hasSize(SERVICES).doesNotHaveDuplicates();
        }
    }

    /** As a real Nacos 1.3.0. */
    @Test
    void endsWhenEachPageIsTheSame() throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            nacos.bodies.put("/v1/console/server/state", "{\"version\":\"1.3.0\"}");
            nacos.bodies.put("/v1/ns/catalog/services", page(0));
            List<String> names = new ArrayList<>();
            ServiceItems.list(nacos.bridge(1_000), Namespace.DEFAULT, (key, item) -> names.add(key.name()));

            assertThat(names).hasSize(ServiceItems.PAGE);
        }
    }
}
