package io.cairn.server.naming.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.label.LabelSelector;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ServiceViewTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "orders");
    private static final Instance DEFAULT = Instance.of("10.0.0.1", 80);
    private static final Instance SICK = Instance.of("10.0.0.2", 80).withHealthy(false);
    private static final Instance OFF = Instance.of("10.0.0.3", 80).withEnabled(false);
    private static final Instance EAST =
            new Instance(new InstanceKey("10.0.0.4", 80, "east"), 1, true, true, true, Map.of(), null);

    @Test
    void viewHasAllEnabledInstances() {
        assertThat(view(snapshot(DEFAULT, SICK, OFF, EAST), "", false).hosts()).containsExactly(DEFAULT, SICK, EAST);
        assertThat(view(snapshot(OFF), "", false).hosts()).isEmpty();
        assertThat(view(ServiceSnapshot.absent(SERVICE, 5), "", true).hosts()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "east, false, 10.0.0.4",
        "DEFAULT, false, 10.0.0.1 10.0.0.2",
        "DEFAULT, true, 10.0.0.1",
        "'east,DEFAULT', true, 10.0.0.1 10.0.0.4",
        "'east,nowhere', false, 10.0.0.4",
        "nowhere, false, ''",
        "EAST, false, ''",
        "'  ', true, 10.0.0.1 10.0.0.4"
    })
    void clustersAndHealthNarrowTheView(String clusters, boolean healthyOnly, String expected) {
        ServiceView view = view(snapshot(DEFAULT, SICK, OFF, EAST), clusters, healthyOnly);

        assertThat(String.join(
                        " ", view.hosts().stream().map(host -> host.key().ip()).toList()))
                .isEqualTo(expected);
        assertThat(view.isProtected()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        // threshold, healthy, unhealthy, protected
        "0, 0, 2, true",
        "0, 1, 9, false",
        "0.5, 1, 1, true",
        "0.5, 2, 1, false",
        "0.3, 3, 7, true",
        "0.3, 31, 69, false",
        "1, 5, 0, true",
        "0.7, 0, 0, false"
    })
    void belowTheThresholdAllInstancesAreReturnedAsHealthy(
            double threshold, int healthy, int unhealthy, boolean isProtected) {
        List<Instance> instances = new ArrayList<>();
        IntStream.range(0, healthy).forEach(i -> instances.add(Instance.of("10.1.0." + i, 80)));
        IntStream.range(0, unhealthy)
                .forEach(i -> instances.add(Instance.of("10.2.0." + i, 80).withHealthy(false)));
        ServiceSettings settings = new ServiceSettings(true, threshold, Map.of(), LabelSelector.NONE, Map.of());
        ServiceSnapshot snapshot = snapshot(settings, true, instances);

        ServiceView view = view(snapshot, "", false);
        assertThat(view.isProtected()).isEqualTo(isProtected);
        assertThat(view.hosts()).hasSize(healthy + unhealthy);
        if (isProtected) {
            assertThat(view.hosts()).allMatch(Instance::healthy);
        }
        ServiceView healthyOnly = view(snapshot, "", true);
        assertThat(healthyOnly.hosts())
                .as("who asks for healthy ones gets no other")
                .hasSize(healthy);
        assertThat(healthyOnly.isProtected())
                .as("all that were asked for are healthy")
                .isEqualTo(healthy > 0 && threshold >= 1);
        ServiceView unprotected = view(snapshot(settings, false, instances), "", false);
        assertThat(unprotected.isProtected())
                .as("protected though nobody has set anything")
                .isFalse();
        assertThat(unprotected.hosts()).isEqualTo(instances);
    }

    @Test
    void disabledInstancesAndOtherClustersDoNotCountForTheProtection() {
        ServiceSettings settings = new ServiceSettings(true, 0.5, Map.of(), LabelSelector.NONE, Map.of());
        ServiceSnapshot snapshot = snapshot(settings, true, List.of(DEFAULT, OFF.withHealthy(false), EAST));

        assertThat(view(snapshot, "", false).isProtected()).isFalse();
        assertThat(view(snapshot(settings, true, List.of(SICK, EAST)), "DEFAULT", false)
                        .isProtected())
                .isTrue();
        assertThat(view(snapshot(settings, true, List.of(SICK, EAST)), "east", false)
                        .isProtected())
                .isFalse();
    }

    @Test
    void viewsShowTheSameWhenConsumersWouldSeeNoDifference() {
        ServiceView one = view(snapshot(DEFAULT, OFF), "", false);

        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT), "", false))).isTrue();
        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT, OFF), "", true))).isTrue();
        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT), "DEFAULT", false)))
                .isFalse();
        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT.withWeight(2)), "", false)))
                .isFalse();
        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT.withHealthy(false)), "", false)))
                .isFalse();
        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT, EAST), "", false))).isFalse();
        assertThat(one.showsTheSameAs(view(snapshot(), "", false))).isFalse();
        ServiceSettings always = new ServiceSettings(true, 1, Map.of(), LabelSelector.NONE, Map.of());
        assertThat(one.showsTheSameAs(view(snapshot(always, true, List.of(DEFAULT)), "", false)))
                .as("the protection is seen")
                .isFalse();
    }

    @Test
    void viewAndItsEncodingsAreMadeOnce() {
        ServiceSnapshot snapshot = snapshot(DEFAULT, EAST);

        ServiceView view = view(snapshot, "east", false);
        assertThat(view(snapshot, "east", false)).isSameAs(view);
        assertThat(view(snapshot, "east", true)).isNotSameAs(view);
        assertThat(snapshot.view("east", false, 20_000)).isNotSameAs(view);
        Object answer = view.answer(ServiceView.Form.GRPC_QUERY, made -> new Object());
        assertThat(view.<Object>answer(ServiceView.Form.GRPC_QUERY, made -> new Object()))
                .isSameAs(answer);
        assertThat(view.<Object>answer(ServiceView.Form.HTTP_V1_LIST, made -> new Object()))
                .isNotSameAs(answer);
    }

    /** A view can be kept for long after its list was sent, so it does not keep encodings of 2 MB. */
    @Test
    void largeEncodingIsSharedWhileItIsUsedAndNotKeptAfterwards() {
        Instance[] many = new Instance[1_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = Instance.of("10.0." + i / 250 + '.' + i % 250, 80);
        }
        ServiceView view = view(snapshot(many), "", false);
        Object used = view.answer(ServiceView.Form.GRPC_QUERY, made -> new Object());
        WeakReference<Object> unused =
                new WeakReference<>(view.answer(ServiceView.Form.HTTP_V1_LIST, made -> new Object()));
        ServiceView small = view(snapshot(DEFAULT), "", false);
        WeakReference<Object> kept =
                new WeakReference<>(small.answer(ServiceView.Form.HTTP_V1_LIST, made -> new Object()));

        await().until(() -> {
            System.gc();
            return unused.get() == null;
        });

        assertThat(view.<Object>answer(ServiceView.Form.GRPC_QUERY, made -> new Object()))
                .isSameAs(used);
        assertThat(view.<Object>answer(ServiceView.Form.HTTP_V1_LIST, made -> new Object()))
                .as("made again")
                .isNotNull();
        assertThat(small.<Object>answer(ServiceView.Form.HTTP_V1_LIST, made -> new Object()))
                .as("a short one is kept")
                .isSameAs(kept.get());
    }

    /** The answers of Nacos 2.5.0 with a CMDB that has the same labels; the first two columns are the request. */
    @ParameterizedTest
    @CsvSource({
        "site, 10.9.0.1, 1 3",
        "site, 10.9.0.2, 2",
        "site, 10.9.0.3, 1 2 3 9",
        "site, 10.9.0.4, 1 2 3 9",
        "site, '', 1 2 3 9",
        "site rack, 10.9.0.1, 1",
        "site rack, 10.9.0.2, 1 2 3 9",
        "site rack, 10.9.0.3, 1 2 3 9",
        "site rack, 10.9.0.4, 1 2 3 9"
    })
    void labelsNarrowTheViewUnlessNothingWouldBeLeft(String labels, String consumer, String expected) {
        List<Instance> instances = Stream.of("1", "2", "3", "9")
                .map(last -> Instance.of("10.0.0." + last, 80))
                .toList();
        ServiceView all = view(labelled(labels, 0, instances), "", false);

        ServiceView seen = all.seenFrom(consumer);

        assertThat(seen.hosts().stream().map(host -> host.key().ip().substring(7)))
                .containsExactly(expected.split(" "));
        assertThat(all.seenFrom(consumer)).as("made once").isSameAs(seen);
        assertThat(all.hosts()).isEqualTo(instances);
        assertThat(all.dependsOnConsumer()).isTrue();
        assertThat(seen.snapshot()).isSameAs(all.snapshot());
    }

    @Test
    void instancesWithOtherLabelsDoNotCountForTheProtection() {
        Instance near = Instance.of("10.0.0.1", 80);
        Instance far = Instance.of("10.0.0.2", 80);

        ServiceView oneIsWell = view(labelled("site", 0.5, List.of(near.withHealthy(false), far)), "", false);
        assertThat(oneIsWell.isProtected()).isTrue();
        assertThat(oneIsWell.seenFrom("10.9.0.2").isProtected()).isFalse();
        assertThat(oneIsWell.seenFrom("10.9.0.2").hosts()).containsExactly(far);
        assertThat(oneIsWell.seenFrom("10.9.0.1").isProtected()).isTrue();
        assertThat(oneIsWell.seenFrom("10.9.0.1").hosts()).containsExactly(near);
        ServiceView healthyOnly = view(labelled("site", 0, List.of(near.withHealthy(false), far)), "", true);
        assertThat(healthyOnly.seenFrom("10.9.0.1").hosts())
                .as("rather a healthy one elsewhere than none")
                .containsExactly(far);
    }

    @Test
    void consumerMayBeKnownByItsLabelsAlone() {
        Instance a = Instance.of("10.0.0.1", 80);
        Instance b = Instance.of("10.0.0.2", 80);
        ServiceView all = view(labelled("site", 0, List.of(a, b)), "", false);

        assertThat(all.seenWith(Map.of("site", "b", "rack", "r9")).hosts()).containsExactly(b);
        assertThat(all.seenWith(Map.of("site", "a"))).isSameAs(all.seenFrom("10.9.0.1"));
        assertThat(all.seenWith(Map.of("rack", "r1"))).isSameAs(all);
        assertThat(all.seenWith(Map.of())).isSameAs(all);
    }

    @Test
    void withoutASelectorOrWithoutLabelsAllConsumersSeeTheSame() {
        ServiceView unselected = view(
                new ServiceSnapshot(
                        SERVICE, 1, 77, ServiceSettings.ofKind(true), true, LABELS, new RegisteredInstance[0]),
                "",
                false);
        ServiceView unlabelled = view(
                new ServiceSnapshot(
                        SERVICE, 1, 77, selecting("site", 0), true, AddressLabels.NONE, new RegisteredInstance[0]),
                "",
                false);

        for (ServiceView view : List.of(unselected, unlabelled)) {
            assertThat(view.dependsOnConsumer()).isFalse();
            assertThat(view.seenFrom("10.9.0.1")).isSameAs(view);
        }
    }

    @Test
    void otherLabelsAndAnotherSelectorAreADifference() {
        List<Instance> instances = List.of(DEFAULT);
        ServiceView one = view(labelled("site", 0, instances), "", false);

        assertThat(one.showsTheSameAs(view(labelled("site", 0, instances), "", false)))
                .isTrue();
        assertThat(one.showsTheSameAs(view(labelled("rack", 0, instances), "", false)))
                .isFalse();
        assertThat(one.showsTheSameAs(view(snapshot(DEFAULT), "", false))).isFalse();
        RegisteredInstance[] registered = {new RegisteredInstance(DEFAULT, null, 1)};
        AddressLabels others = AddressLabels.read("{\"10.0.0.1\":{\"site\":\"b\"}}");
        assertThat(one.showsTheSameAs(view(
                        new ServiceSnapshot(SERVICE, 1, 77, selecting("site", 0), true, others, registered),
                        "",
                        false)))
                .isFalse();
    }

    private static final AddressLabels LABELS = AddressLabels.read("""
            {"10.0.0.1": {"site": "a", "rack": "r1"}, "10.0.0.2": {"site": "b", "rack": "r1"},
             "10.0.0.3": {"site": "a", "rack": "r2"}, "10.9.0.1": {"site": "a", "rack": "r1"},
             "10.9.0.2": {"site": "b"}, "10.9.0.4": {"site": "zz"}}
            """);

    private static ServiceSettings selecting(String labels, double threshold) {
        String expression = Stream.of(labels.split(" "))
                .map(label -> "CONSUMER.label." + label + "=PROVIDER.label." + label)
                .collect(Collectors.joining(" & "));
        return new ServiceSettings(true, threshold, Map.of(), LabelSelector.of(expression), Map.of());
    }

    private static ServiceSnapshot labelled(String labels, double threshold, List<Instance> instances) {
        return new ServiceSnapshot(SERVICE, 1, 77, selecting(labels, threshold), true, LABELS, registered(instances));
    }

    @Test
    void selectionsWithoutEndAreAnsweredButNotKept() {
        ServiceSnapshot snapshot = snapshot(DEFAULT, EAST);

        for (int i = 0; i < 10_000; i++) {
            assertThat(view(snapshot, "east,c" + i, false).hosts()).containsExactly(EAST);
        }

        assertThat(view(snapshot, "east,c9999", false)).isNotSameAs(view(snapshot, "east,c9999", false));
    }

    @Test
    void theServiceInfoHasTheFieldsThatClientsRead() {
        Instance instance = DEFAULT.withMetadata(Map.of("k", "ü\"\n🚀")).withWeight(0.5);
        ServiceView view = snapshot(instance, EAST.withId("an id")).view("", false, 12_345);

        JsonNode info = JSON.readTree(new String(view.info("orders"), StandardCharsets.UTF_8));

        assertThat(info.propertyNames())
                .containsExactly(
                        "name",
                        "groupName",
                        "clusters",
                        "cacheMillis",
                        "hosts",
                        "lastRefTime",
                        "checksum",
                        "allIPs",
                        "allIps",
                        "reachProtectionThreshold",
                        "valid");
        assertThat(info.path("name").asString()).isEqualTo("orders");
        assertThat(info.path("groupName").asString()).isEqualTo("g");
        assertThat(info.path("clusters").asString()).isEmpty();
        assertThat(info.path("cacheMillis").asInt()).isEqualTo(12_345);
        assertThat(info.path("lastRefTime").asLong()).isEqualTo(77);
        assertThat(info.path("valid").asBoolean()).isTrue();
        assertThat(info.path("hosts")).hasSize(2);
        JsonNode host = info.path("hosts").path(0);
        assertThat(host.path("ip").asString()).isEqualTo("10.0.0.1");
        assertThat(host.path("weight").asDouble()).isEqualTo(0.5);
        assertThat(host.path("serviceName").asString()).isEqualTo("g@@orders");
        assertThat(host.path("metadata").path("k").asString()).isEqualTo("ü\"\n🚀");
        assertThat(host.path("instanceId").asString()).isEqualTo("10.0.0.1#80#DEFAULT#g@@orders");
        assertThat(info.path("hosts").path(1).path("instanceId").asString()).isEqualTo("an id");
        assertThat(view.encodedBytes()).isBetween(view.info("orders").length / 2, view.info("orders").length * 4);
    }

    @Test
    void anEmptyViewIsAnEmptyArray() {
        assertThat(new String(view(snapshot(), "", false).hostsJson(), StandardCharsets.UTF_8))
                .isEqualTo("[]");
    }

    private static ServiceView view(ServiceSnapshot snapshot, String clusters, boolean healthyOnly) {
        return snapshot.view(clusters, healthyOnly, 10_000);
    }

    private static ServiceSnapshot snapshot(Instance... instances) {
        return snapshot(ServiceSettings.ofKind(true), false, List.of(instances));
    }

    private static ServiceSnapshot snapshot(ServiceSettings settings, boolean hasSettings, List<Instance> instances) {
        return new ServiceSnapshot(SERVICE, 1, 77, settings, hasSettings, AddressLabels.NONE, registered(instances));
    }

    private static RegisteredInstance[] registered(List<Instance> instances) {
        return instances.stream()
                .map(instance -> new RegisteredInstance(instance, null, 1))
                .toArray(RegisteredInstance[]::new);
    }
}
