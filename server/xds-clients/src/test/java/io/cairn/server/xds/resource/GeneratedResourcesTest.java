package io.cairn.server.xds.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares hand-written resources with the bytes of Envoy's generated classes, for random services. */
class GeneratedResourcesTest {

    private static final int SERVICES = 2_000;
    private static final String[] NAMES = {
        "orders", "com.shop.Orders:1.0.0", "日志", "a/b", "😀", "x".repeat(300), "payments@@orders"
    };
    private static final String[] SUBSETS = {"", "", "~version=2", "~cluster=BJ", "~cluster=BJ,version=1"};
    private static final double[] WEIGHTS = {1, 1, 1, 0, 90, 10, 0.5, 0.001, 0.104, 10_000, 3.337, -1};
    private static final String[] METADATA_KEYS = {"empty", "lane", "text", "version"};

    private final long seed = Long.getLong("cairn.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ServiceResources resources = new ServiceResources(List.of("region", "zone"));

    @Test
    void bytesOfRandomServicesAreThoseOfGeneratedClasses() {
        int endpoints = 0;
        for (int i = 0; i < SERVICES; i++) {
            ResourceName name = ResourceName.parse(pick(NAMES) + pick(SUBSETS));
            List<Instance> hosts = hosts();
            Flavour flavour = pick(Flavour.values());
            List<String> keys = keys();
            long timeout = random.nextBoolean() ? 1_000 : 1 + random.nextInt(100_000);
            boolean http2 = random.nextBoolean();
            Map<String, String> metadata = new HashMap<>();
            metadata.put("xds.connect-timeout", timeout + "ms");
            metadata.put("xds.metadata-keys", String.join(", ", keys));
            metadata.put("xds.protocol", http2 ? "grpc" : "http1");
            GeneratedResources generated = new GeneratedResources(name, hosts, flavour);
            String what =
                    "seed " + seed + ", service " + i + ": " + name + ' ' + flavour + ' ' + metadata + ' ' + hosts;

            same(resources.cluster(name, hosts, metadata, flavour), generated.cluster(timeout, http2), what);
            var expected = generated.endpoints(keys);
            same(resources.endpoints(name, hosts, List.of(), metadata, flavour), expected, what);
            endpoints += expected.getEndpointsCount();
        }
        assertThat(endpoints).as("localities, so that not all lists were empty").isGreaterThan(SERVICES);
    }

    @Test
    void bytesOfListenersAndRoutesAreThoseOfGeneratedClasses() {
        for (String text : NAMES) {
            ResourceName name = ResourceName.parse(text);
            same(resources.listener(text, name), GeneratedResources.listener(text), text);
            same(resources.route(name), GeneratedResources.route(text), text);
            same(
                    resources.unknownEndpoints(text),
                    new GeneratedResources(name, List.of(), Flavour.ENVOY).endpoints(List.of()),
                    text);
        }
    }

    @Test
    void bytesOfServerListenersAreThoseOfGeneratedClasses() {
        for (String address : new String[] {"0.0.0.0", "::1"}) {
            ServerListenerName listening = new ServerListenerName(address, 50_051);
            String name = listening.toString();
            same(
                    resources.serverListener(name, listening),
                    GeneratedResources.serverListener(name, address, 50_051),
                    name);
        }
    }

    @Test
    void orderOfInstancesDoesNotMatter() {
        ResourceName name = ResourceName.parse("orders");
        for (Flavour flavour : Flavour.values()) {
            List<Instance> hosts = new ArrayList<>(hosts());
            Resource once = resources.endpoints(name, hosts, List.of(), Map.of(), flavour);
            Collections.shuffle(hosts, random);
            assertThat(resources.endpoints(name, hosts, List.of(), Map.of(), flavour))
                    .as("seed " + seed)
                    .isEqualTo(once);
        }
    }

    private static void same(Resource actual, MessageLite expected, String what) {
        assertThat(actual.value()).as(what).isEqualTo(expected.toByteArray());
    }

    private List<Instance> hosts() {
        boolean equal = random.nextInt(3) == 0;
        return IntStream.range(0, random.nextInt(12))
                .mapToObj(i -> new Instance(
                        new InstanceKey(
                                "10." + random.nextInt(256) + '.' + random.nextInt(256) + '.' + i,
                                1 + random.nextInt(65_535),
                                pick(new String[] {"DEFAULT", "BJ", "SH"})),
                        equal ? 1 : WEIGHTS[random.nextInt(WEIGHTS.length)],
                        random.nextInt(4) > 0,
                        random.nextInt(8) > 0,
                        true,
                        metadata(),
                        null))
                .collect(Collectors.toList());
    }

    private Map<String, String> metadata() {
        Map<String, String> metadata = new LinkedHashMap<>();
        if (random.nextBoolean()) {
            metadata.put("version", Integer.toString(1 + random.nextInt(2)));
        }
        if (random.nextInt(3) == 0) {
            metadata.put("zone", pick(new String[] {"a", "b", "区"}));
        }
        if (random.nextInt(3) == 0) {
            metadata.put("region", pick(new String[] {"north", "south"}));
        }
        if (random.nextBoolean()) {
            metadata.put("text", "é".repeat(random.nextInt(200)));
            metadata.put("empty", "");
        }
        return metadata;
    }

    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (String key : METADATA_KEYS) {
            if (random.nextBoolean()) {
                keys.add(key);
            }
        }
        return keys;
    }

    private <T> T pick(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
