package io.cairn.server.xds.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules from a service to the resources of its clients, read back with Envoy's generated classes. */
class ServiceResourcesTest {

    private static final ResourceName ORDERS = ResourceName.parse("orders");

    private final ServiceResources resources = new ServiceResources(List.of("region", "zone"));

    @ParameterizedTest
    @EnumSource(Flavour.class)
    void clusterTakesEndpointsOverAdsAndNeverPanics(Flavour flavour) throws Exception {
        Cluster cluster = cluster(flavour, Map.of(), at(1));
        assertThat(cluster.getName()).isEqualTo("orders");
        assertThat(cluster.getType()).isEqualTo(Cluster.DiscoveryType.EDS);
        assertThat(cluster.getEdsClusterConfig().getServiceName()).isEqualTo("orders");
        assertThat(cluster.getEdsClusterConfig().getEdsConfig().hasAds()).isTrue();
        assertThat(cluster.getConnectTimeout().getSeconds()).isEqualTo(1);
        assertThat(cluster.getCommonLbConfig().hasHealthyPanicThreshold()).isTrue();
        assertThat(cluster.getCommonLbConfig().getHealthyPanicThreshold().getValue())
                .isZero();
        assertThat(cluster.getLbPolicy()).isEqualTo(Cluster.LbPolicy.ROUND_ROBIN);
        assertThat(cluster.getAltStatName()).isEmpty();
        assertThat(cluster.getTypedExtensionProtocolOptionsMap()).isEmpty();
    }

    @Test
    void serviceMetadataSetsTimeoutAndProtocol() throws Exception {
        Cluster cluster =
                cluster(Flavour.ENVOY, Map.of("xds.connect-timeout", "2500ms", "xds.protocol", "grpc"), at(1));
        assertThat(cluster.getConnectTimeout().getSeconds()).isEqualTo(2);
        assertThat(cluster.getConnectTimeout().getNanos()).isEqualTo(500_000_000);
        HttpProtocolOptions options = cluster.getTypedExtensionProtocolOptionsMap()
                .get("envoy.extensions.upstreams.http.v3.HttpProtocolOptions")
                .unpack(HttpProtocolOptions.class);
        assertThat(options.getExplicitHttpConfig().hasHttp2ProtocolOptions()).isTrue();
        assertThat(cluster(Flavour.ENVOY, Map.of("xds.protocol", "http2"), at(1))
                        .getTypedExtensionProtocolOptionsMap())
                .hasSize(1);
    }

    @Test
    void unreadableServiceMetadataLeavesTheDefaultAndIsAProblem() throws Exception {
        Map<String, String> wrong = Map.of("xds.connect-timeout", "0ms", "xds.protocol", "smtp");
        Cluster cluster = cluster(Flavour.ENVOY, wrong, at(1));
        assertThat(cluster.getConnectTimeout().getSeconds()).isEqualTo(1);
        assertThat(cluster.getTypedExtensionProtocolOptionsMap()).isEmpty();
        assertThat(ServiceOptions.of(wrong).problems())
                .containsExactly(
                        "xds.connect-timeout: '0ms' (expected: a time above 0, such as 500ms or 2s)",
                        "xds.protocol: 'smtp' (expected: grpc, http2 or http1)");
        for (String text : new String[] {"", "s", "ms", "5", "5m", "-5s", "1.5s", "9999999999s"}) {
            assertThat(ServiceOptions.of(Map.of("xds.connect-timeout", text)).problems())
                    .as(text)
                    .hasSize(1);
        }
        assertThat(ServiceOptions.of(Map.of("xds.connect-timeout", "15s")).problems())
                .isEmpty();
    }

    @Test
    void nameWithColonHasAnotherNameInStatistics() throws Exception {
        Resource resource =
                resources.cluster(ResourceName.parse("shop@@Orders:1.0"), List.of(), Map.of(), Flavour.ENVOY);
        assertThat(Cluster.parseFrom(resource.value()).getAltStatName()).isEqualTo("shop@@Orders_1.0");
    }

    @Test
    void unhealthyInstanceIsShownToEnvoyOnly() throws Exception {
        Instance[] hosts = {at(1), at(2).withHealthy(false)};
        assertThat(endpoints(Flavour.ENVOY, hosts))
                .extracting(LbEndpoint::getHealthStatus)
                .containsExactly(HealthStatus.HEALTHY, HealthStatus.UNHEALTHY);
        assertThat(addresses(endpoints(Flavour.GRPC, hosts))).containsExactly("10.0.0.1:8080");
        assertThat(addresses(endpoints(Flavour.MOSN, hosts))).containsExactly("10.0.0.1:8080");
    }

    @Test
    void disabledInstanceIsAbsent() throws Exception {
        for (Flavour flavour : Flavour.values()) {
            assertThat(addresses(endpoints(flavour, at(1), at(2).withEnabled(false))))
                    .containsExactly("10.0.0.1:8080");
        }
    }

    @Test
    void drainedInstanceDrainsInEnvoyAndGrpcAndIsAbsentInMosn() throws Exception {
        for (Flavour flavour : List.of(Flavour.ENVOY, Flavour.GRPC)) {
            assertThat(drained(flavour, at(2).withEnabled(false), at(1)).getEndpointsList())
                    .flatExtracting(LocalityLbEndpoints::getLbEndpointsList)
                    .extracting(LbEndpoint::getHealthStatus)
                    .containsExactly(HealthStatus.HEALTHY, HealthStatus.DRAINING);
        }
        assertThat(addresses(drained(Flavour.MOSN, at(2).withEnabled(false), at(1))
                        .getEndpoints(0)
                        .getLbEndpointsList()))
                .containsExactly("10.0.0.1:8080");
    }

    @Test
    void drainedInstanceHasNoShareOfItsLocalityInGrpc() throws Exception {
        ClusterLoadAssignment three = drained(Flavour.GRPC, at(3).withEnabled(false), at(1), at(2));
        assertThat(three.getEndpoints(0).getLoadBalancingWeight().getValue()).isEqualTo(2);
        // gRPC passes over a locality of weight 0.
        ClusterLoadAssignment none = drained(Flavour.GRPC, at(3).withEnabled(false));
        assertThat(none.getEndpoints(0).getLoadBalancingWeight().getValue()).isZero();
    }

    @Test
    void addressThatIsAlsoInServiceIsNotDrained() throws Exception {
        assertThat(drained(Flavour.ENVOY, at(1).withEnabled(false), at(1)).getEndpointsList())
                .flatExtracting(LocalityLbEndpoints::getLbEndpointsList)
                .extracting(LbEndpoint::getHealthStatus)
                .containsExactly(HealthStatus.HEALTHY);
    }

    private ClusterLoadAssignment drained(Flavour flavour, Instance drained, Instance... hosts) throws Exception {
        return ClusterLoadAssignment.parseFrom(resources
                .endpoints(ORDERS, List.of(hosts), List.of(drained), Map.of(), flavour)
                .value());
    }

    @Test
    void instanceOfWeightZeroDrainsInEnvoyAndIsAbsentElsewhere() throws Exception {
        Instance[] hosts = {at(1).withWeight(5), at(2).withWeight(0), at(3).withWeight(7), at(4).withWeight(-1)};
        assertThat(endpoints(Flavour.ENVOY, hosts))
                .extracting(LbEndpoint::getHealthStatus, one -> one.getLoadBalancingWeight()
                        .getValue())
                .containsExactly(
                        tuple(HealthStatus.HEALTHY, 500),
                        tuple(HealthStatus.DRAINING, 1),
                        tuple(HealthStatus.HEALTHY, 700),
                        tuple(HealthStatus.DRAINING, 1));
        assertThat(endpoints(Flavour.GRPC, hosts)).hasSize(2);
        assertThat(endpoints(Flavour.MOSN, hosts)).hasSize(2);
        // Nothing but the draining one differs, so there are no weights.
        assertThat(endpoints(Flavour.ENVOY, at(1).withWeight(5), at(2).withWeight(5), at(3).withWeight(0)))
                .noneMatch(LbEndpoint::hasLoadBalancingWeight)
                .extracting(LbEndpoint::getHealthStatus)
                .containsExactly(HealthStatus.HEALTHY, HealthStatus.HEALTHY, HealthStatus.DRAINING);
    }

    @Test
    void weightsAreHundredfoldAtLeastOneAndLeftOutWhenEqual() throws Exception {
        assertThat(weights(endpoints(Flavour.ENVOY, at(1).withWeight(1), at(2).withWeight(0.336))))
                .containsExactly(100, 34);
        assertThat(weights(endpoints(Flavour.ENVOY, at(1).withWeight(0.0001), at(2).withWeight(1))))
                .containsExactly(1, 100);
        assertThat(endpoints(Flavour.ENVOY, at(1).withWeight(7), at(2).withWeight(7)))
                .noneMatch(LbEndpoint::hasLoadBalancingWeight);
    }

    @Test
    void weightsAreHalvedTogetherUntilTheirSumHasThirtyOneBits() throws Exception {
        Instance[] hosts = {at(1).withWeight(1e9), at(2).withWeight(1e300), at(3).withWeight(1e6), at(4).withWeight(1)};
        List<Integer> weights = weights(endpoints(Flavour.ENVOY, hosts));
        assertThat(weights).containsExactly(1 << 29, 1 << 29, 50_000_000, 50);
        assertThat(weights.stream().mapToLong(Integer::longValue).sum()).isLessThan(1L << 31);
    }

    @Test
    void weightOfLocalityIsTheSumOfItsEndpoints() throws Exception {
        Instance[] hosts = {in("a", at(1).withWeight(3)), in("a", at(2).withWeight(4)), in("b", at(3).withWeight(5))};
        assertThat(localities(Flavour.ENVOY, hosts))
                .extracting(one -> one.getLocality().getZone(), one -> one.getLoadBalancingWeight()
                        .getValue())
                .containsExactly(tuple("a", 700), tuple("b", 500));
        // Without weights each endpoint counts one.
        assertThat(localities(Flavour.GRPC, in("a", at(1)), in("a", at(2)), in("b", at(3))))
                .extracting(one -> one.getLoadBalancingWeight().getValue())
                .containsExactly(2, 1);
    }

    @Test
    void localityIsOfMetadataElseOfTheNacosCluster() throws Exception {
        Instance inCluster = new Instance(new InstanceKey("10.0.0.3", 8080, "BJ"), 1, true, true, true, Map.of(), null);
        Instance[] hosts = {
            at(1).withMetadata(Map.of("region", "north", "zone", "n1")),
            at(2).withMetadata(Map.of("region", "north")),
            inCluster,
            at(4),
            new Instance(new InstanceKey("10.0.0.5", 8080, "SH"), 1, true, true, true, Map.of("zone", "z"), null)
        };
        assertThat(localities(Flavour.GRPC, hosts))
                .extracting(
                        one -> one.getLocality().getRegion(),
                        one -> one.getLocality().getZone(),
                        one -> one.getLocality().getSubZone())
                .containsExactly(
                        tuple("", "", ""),
                        tuple("", "BJ", ""),
                        tuple("", "z", ""),
                        tuple("north", "", ""),
                        tuple("north", "n1", ""));
        // C++ refuses a list without the message, so it is there, be it empty.
        assertThat(localities(Flavour.GRPC, at(4))).allMatch(LocalityLbEndpoints::hasLocality);
    }

    @Test
    void keysOfLocalityAreASetting() throws Exception {
        ServiceResources other = new ServiceResources(List.of("dc", "rack"));
        Instance host = at(1).withMetadata(Map.of("dc", "d1", "rack", "r7", "zone", "z"));
        ClusterLoadAssignment assignment = ClusterLoadAssignment.parseFrom(
                other.endpoints(ORDERS, List.of(host), List.of(), Map.of(), Flavour.ENVOY)
                        .value());
        assertThat(assignment.getEndpoints(0).getLocality().getRegion()).isEqualTo("d1");
        assertThat(assignment.getEndpoints(0).getLocality().getZone()).isEqualTo("r7");
        assertThatThrownBy(() -> new ServiceResources(List.of("zone")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cairn.xds.locality-keys: [zone] (expected: two keys, of the region and of the zone)");
    }

    @Test
    void grpcGetsALocalityForEachWeight() throws Exception {
        Instance[] hosts = {at(1).withWeight(90), at(2).withWeight(10), at(3).withWeight(90), at(4).withWeight(0.5)};
        assertThat(localities(Flavour.GRPC, hosts))
                .extracting(
                        one -> one.getLocality().getSubZone(),
                        LocalityLbEndpoints::getLbEndpointsCount,
                        one -> one.getLoadBalancingWeight().getValue())
                .containsExactly(tuple("w0.5", 1, 50), tuple("w10", 1, 1_000), tuple("w90", 2, 18_000));
        assertThat(localities(Flavour.ENVOY, hosts)).hasSize(1);
        assertThat(localities(Flavour.GRPC, at(1), at(2)))
                .extracting(one -> one.getLocality().getSubZone())
                .containsExactly("");
    }

    @Test
    void mosnBalancesUnequalWeightsByLeastRequestsWithWeightsUpToHundred() throws Exception {
        Instance[] hosts = {at(1).withWeight(900), at(2).withWeight(100), at(3).withWeight(0.01)};
        assertThat(cluster(Flavour.MOSN, Map.of(), hosts).getLbPolicy()).isEqualTo(Cluster.LbPolicy.LEAST_REQUEST);
        assertThat(cluster(Flavour.ENVOY, Map.of(), hosts).getLbPolicy()).isEqualTo(Cluster.LbPolicy.ROUND_ROBIN);
        assertThat(weights(endpoints(Flavour.MOSN, hosts))).containsExactly(100, 11, 1);
    }

    @Test
    void metadataOfInstancesIsSentForListedKeysOnly() throws Exception {
        Instance host = at(1).withMetadata(Map.of("version", "2", "lane", "", "secret", "x"));
        assertThat(endpoints(Flavour.ENVOY, host)).noneMatch(LbEndpoint::hasMetadata);
        LbEndpoint endpoint = assignment(
                        Flavour.ENVOY, ORDERS, Map.of("xds.metadata-keys", " version,lane,,absent "), host)
                .getEndpoints(0)
                .getLbEndpoints(0);
        assertThat(endpoint.getMetadata().getFilterMetadataMap().get("envoy.lb").getFieldsMap())
                .hasSize(2)
                .hasEntrySatisfying(
                        "version", value -> assertThat(value.getStringValue()).isEqualTo("2"))
                .hasEntrySatisfying(
                        "lane", value -> assertThat(value.hasStringValue()).isTrue());
    }

    @Test
    void hostNamesPortZeroAndScopedAddressesAreAbsent() throws Exception {
        Instance[] hosts = {
            Instance.of("orders.example.com", 8080),
            Instance.of("10.0.0.9", 0),
            Instance.of("fe80::1%eth0", 8080),
            Instance.of("[::1]", 8080),
            Instance.of("010.0.0.1", 8080),
            Instance.of("10.0.1", 8080),
            Instance.of("::ffff:10.0.00.1", 8080),
            Instance.of("2001:db8::7", 8080),
            at(1)
        };
        for (Flavour flavour : Flavour.values()) {
            assertThat(addresses(endpoints(flavour, hosts))).containsExactly("10.0.0.1:8080", "2001:db8::7:8080");
        }
        assertThat(List.of(hosts))
                .filteredOn(one -> !EndpointSelection.isAddressed(one))
                .hasSize(7);
    }

    @Test
    void addressThatIsRegisteredTwiceIsSentOnce() throws Exception {
        Instance twin = new Instance(new InstanceKey("10.0.0.1", 8080, "BJ"), 5, true, true, true, Map.of(), null);
        List<LbEndpoint> endpoints = endpoints(Flavour.ENVOY, at(1).withHealthy(false), twin);
        assertThat(addresses(endpoints)).containsExactly("10.0.0.1:8080");
        assertThat(endpoints.get(0).getHealthStatus()).isEqualTo(HealthStatus.HEALTHY);
        assertThat(endpoints(Flavour.GRPC, Instance.of("::1", 80), Instance.of("0:0:0:0:0:0:0:1", 80)))
                .hasSize(1);
        assertThat(endpoints(Flavour.GRPC, Instance.of("::1", 80), Instance.of("::1", 81)))
                .hasSize(2);
    }

    @Test
    void subsetHoldsInstancesWithItsMetadataOrInItsCluster() throws Exception {
        Instance second = at(2).withMetadata(Map.of("version", "2", "zone", "a"));
        Instance beijing = new Instance(
                new InstanceKey("10.0.0.3", 8080, "BJ"), 1, true, true, true, Map.of("version", "2"), null);
        Instance[] hosts = {at(1), second, beijing};
        assertThat(addresses(subset("orders~version=2", hosts))).containsExactly("10.0.0.2:8080", "10.0.0.3:8080");
        assertThat(addresses(subset("orders~cluster=BJ", hosts))).containsExactly("10.0.0.3:8080");
        assertThat(addresses(subset("orders~version=2,zone=a", hosts))).containsExactly("10.0.0.2:8080");
        assertThat(subset("orders~version=3", hosts)).isEmpty();
        Resource cluster =
                resources.cluster(ResourceName.parse("orders~version=2"), List.of(hosts), Map.of(), Flavour.ENVOY);
        assertThat(cluster.name()).isEqualTo("orders~version=2");
        assertThat(Cluster.parseFrom(cluster.value()).getEdsClusterConfig().getServiceName())
                .isEqualTo("orders~version=2");
    }

    @Test
    void serviceWithoutInstancesHasEmptyEndpoints() throws Exception {
        ClusterLoadAssignment none = assignment(Flavour.ENVOY, ORDERS, Map.of());
        assertThat(none.getClusterName()).isEqualTo("orders");
        assertThat(none.getEndpointsCount()).isZero();
        assertThat(resources.unknownEndpoints("orders"))
                .isEqualTo(resources.endpoints(ORDERS, List.of(), List.of(), Map.of(), Flavour.GRPC));
    }

    @Test
    void largeServiceIsEncodedWhole() throws Exception {
        Instance[] hosts = IntStream.range(0, 5_000)
                .mapToObj(i -> Instance.of("10.1." + i / 250 + '.' + i % 250, 8080))
                .toArray(Instance[]::new);
        assertThat(endpoints(Flavour.ENVOY, hosts)).hasSize(5_000);
    }

    private Cluster cluster(Flavour flavour, Map<String, String> serviceMetadata, Instance... hosts)
            throws InvalidProtocolBufferException {
        return Cluster.parseFrom(resources
                .cluster(ORDERS, List.of(hosts), serviceMetadata, flavour)
                .value());
    }

    private ClusterLoadAssignment assignment(
            Flavour flavour, ResourceName name, Map<String, String> serviceMetadata, Instance... hosts)
            throws InvalidProtocolBufferException {
        return ClusterLoadAssignment.parseFrom(resources
                .endpoints(name, List.of(hosts), List.of(), serviceMetadata, flavour)
                .value());
    }

    private List<LocalityLbEndpoints> localities(Flavour flavour, Instance... hosts)
            throws InvalidProtocolBufferException {
        return assignment(flavour, ORDERS, Map.of(), hosts).getEndpointsList();
    }

    private List<LbEndpoint> endpoints(Flavour flavour, Instance... hosts) throws InvalidProtocolBufferException {
        return all(assignment(flavour, ORDERS, Map.of(), hosts));
    }

    private List<LbEndpoint> subset(String name, Instance... hosts) throws InvalidProtocolBufferException {
        return all(assignment(Flavour.ENVOY, ResourceName.parse(name), Map.of(), hosts));
    }

    private static List<LbEndpoint> all(ClusterLoadAssignment assignment) {
        List<LbEndpoint> all = new ArrayList<>();
        assignment.getEndpointsList().forEach(one -> all.addAll(one.getLbEndpointsList()));
        return all;
    }

    private static List<Integer> weights(List<LbEndpoint> endpoints) {
        return endpoints.stream()
                .map(one -> one.getLoadBalancingWeight().getValue())
                .toList();
    }

    private static List<String> addresses(List<LbEndpoint> endpoints) {
        return endpoints.stream()
                .map(one -> one.getEndpoint().getAddress().getSocketAddress())
                .map(one -> one.getAddress() + ':' + one.getPortValue())
                .sorted()
                .toList();
    }

    private static Instance at(int last) {
        return Instance.of("10.0.0." + last, 8080);
    }

    private static Instance in(String zone, Instance instance) {
        return instance.withMetadata(Map.of("zone", zone));
    }
}
