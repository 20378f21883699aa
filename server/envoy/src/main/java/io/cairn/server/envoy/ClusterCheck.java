package io.cairn.server.envoy;

import static io.cairn.server.envoy.MessageValues.has;
import static io.cairn.server.envoy.MessageValues.items;
import static io.cairn.server.envoy.MessageValues.message;
import static io.cairn.server.envoy.MessageValues.number;
import static io.cairn.server.envoy.MessageValues.text;
import static io.cairn.server.envoy.MessageValues.typeOf;

import com.google.protobuf.Message;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Checks clusters as Envoy does: balancers and addresses that do not fit. For one thread. */
final class ClusterCheck implements ResourceWalk.Visitor {

    private static final String BALANCERS = "envoy.extensions.load_balancing_policies.";
    private static final String PROVIDED = "CLUSTER_PROVIDED";
    private static final long MAGLEV_SIZE = 65_537;
    private static final long LEAST_RING = 1_024;
    private static final long LARGEST_RING = 8 << 20;

    /** Kinds of clusters with their own load balancer. */
    private static final Set<String> WITH_BALANCER = Set.of(
            "envoy.extensions.clusters.aggregate.v3.ClusterConfig",
            "envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig");

    private final Report report;

    ClusterCheck(Report report) {
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        switch (message.getDescriptorForType().getFullName()) {
            case "envoy.config.cluster.v3.Cluster" -> cluster(message, place);
            case BALANCERS + "maglev.v3.Maglev" -> maglev(message, place);
            case BALANCERS + "ring_hash.v3.RingHash" -> ring(message, place);
            default -> {}
        }
    }

    private void cluster(Message cluster, Place place) {
        // An enum of a oneof: its default STATIC means nothing unless set.
        String type = has(cluster, "type") ? text(cluster, "type") : "";
        String policy = text(cluster, "lb_policy");
        if (!has(cluster, "load_balancing_policy")) {
            balancer(cluster, type, policy, place);
            if (policy.equals("MAGLEV") && has(cluster, "maglev_lb_config")) {
                maglev(message(cluster, "maglev_lb_config"), place.field("maglev_lb_config"));
            }
            if (policy.equals("RING_HASH") && has(cluster, "ring_hash_lb_config")) {
                ring(message(cluster, "ring_hash_lb_config"), place.field("ring_hash_lb_config"));
            }
        }
        if (has(cluster, "load_assignment")) {
            List<Message> localities = items(message(cluster, "load_assignment"), "endpoints");
            Place endpoints = place.field("load_assignment").field("endpoints");
            switch (type) {
                case "LOGICAL_DNS" -> {
                    if (localities.size() != 1
                            || items(localities.get(0), "lb_endpoints").size() != 1) {
                        report.refused(
                                endpoints, "a cluster of type LOGICAL_DNS has one endpoint (expected: exactly 1)");
                    }
                }
                case "STATIC" -> addresses(localities, endpoints);
                default -> {}
            }
        }
    }

    private void balancer(Message cluster, String type, String policy, Place place) {
        String custom = has(cluster, "cluster_type") ? typeOf(message(cluster, "cluster_type"), "typed_config") : "";
        boolean isProvided = policy.equals(PROVIDED);
        boolean mustBe = type.equals("ORIGINAL_DST") || WITH_BALANCER.contains(custom);
        boolean mustNotBe = !type.isEmpty() && !type.equals("ORIGINAL_DST");
        if (mustBe && !isProvided) {
            report.refused(
                    place.field("lb_policy"),
                    policy + " in a cluster that has a load balancer of its own (expected: " + PROVIDED + ')');
        } else if (mustNotBe && isProvided) {
            report.refused(
                    place.field("lb_policy"),
                    PROVIDED + " in a cluster of type " + type + ", which has no load balancer of its own"
                            + " (expected: another one, such as ROUND_ROBIN)");
        }
    }

    private void addresses(List<Message> localities, Place place) {
        for (int i = 0; i < localities.size(); i++) {
            List<Message> endpoints = items(localities.get(i), "lb_endpoints");
            for (int k = 0; k < endpoints.size(); k++) {
                Message endpoint = message(endpoints.get(k), "endpoint");
                if (has(endpoint, "address") && has(message(endpoint, "address"), "socket_address")) {
                    Message socket = message(message(endpoint, "address"), "socket_address");
                    String address = text(socket, "address");
                    if (!ListenerCheck.isIp(address)
                            && text(socket, "resolver_name").isEmpty()) {
                        report.refused(
                                place.item(i)
                                        .field("lb_endpoints")
                                        .item(k)
                                        .field("endpoint")
                                        .field("address")
                                        .field("socket_address")
                                        .field("address"),
                                "'" + address + "' in a cluster of type STATIC (expected: an IP address, or the type"
                                        + " STRICT_DNS)");
                    }
                }
            }
        }
    }

    private void maglev(Message maglev, Place place) {
        long size = number(maglev, "table_size", MAGLEV_SIZE);
        if (!isPrime(size)) {
            report.refused(
                    place.field("table_size"), size + " (expected: a prime number, such as " + MAGLEV_SIZE + ')');
        }
    }

    /** @param number at most some millions, by the rules of the API */
    private static boolean isPrime(long number) {
        for (long factor = 2; factor * factor <= number; factor++) {
            if (number % factor == 0) {
                return false;
            }
        }
        return number > 1;
    }

    private void ring(Message ring, Place place) {
        long least = number(ring, "minimum_ring_size", LEAST_RING);
        long largest = number(ring, "maximum_ring_size", LARGEST_RING);
        if (least > largest) {
            report.refused(
                    place.field(has(ring, "minimum_ring_size") ? "minimum_ring_size" : "maximum_ring_size"),
                    "the minimum is " + least + ", the maximum " + largest
                            + " (expected: a minimum up to the maximum)");
        }
    }
}
