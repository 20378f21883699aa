package io.cairn.server.xds.resource;

import io.cairn.api.naming.Instance;
import io.netty.util.NetUtil;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service or subset as endpoints for one flavour, with health, weight and locality. Their order depends on the
 * instances alone, so that all nodes encode the same bytes.
 */
final class EndpointSelection {

    /** {@code HealthStatus}; of two equal addresses the lower value is sent. */
    static final int HEALTHY = 1;

    static final int UNHEALTHY = 2;
    static final int DRAINING = 3;

    /** Parts of a weight of 1. */
    private static final int WEIGHT_UNIT = 100;
    /** An instance may have any number as weight. */
    private static final int MAX_WEIGHT = 1 << 30;
    /** Clients refuse a sum of weights beyond 32 bits; some read it as signed. */
    private static final long MAX_SUM = Integer.MAX_VALUE;
    /** MOSN cuts weights at 128. */
    private static final int MAX_MOSN_WEIGHT = 100;

    private static final Comparator<Endpoint> ORDER =
            Comparator.comparing((Endpoint one) -> one.address).thenComparingInt(one -> one.port);

    private final List<Endpoint> endpoints;
    private final boolean weighted;

    /** Its weight is scaled when all are known. */
    static final class Endpoint {
        final String address;
        final int port;
        final int health;
        final Map<String, String> metadata;
        private Locality locality;
        private int weight;

        Endpoint(Instance instance, int health, int weight, Locality locality) {
            this.address = instance.key().ip();
            this.port = instance.key().port();
            this.metadata = instance.metadata();
            this.health = health;
            this.weight = weight;
            this.locality = locality;
        }

        int weight() {
            return weight;
        }
    }

    private EndpointSelection(List<Endpoint> endpoints, boolean weighted) {
        this.endpoints = endpoints;
        this.weighted = weighted;
    }

    /** @param drained instances that are not in the list, sent as draining where the client knows that state */
    static EndpointSelection of(
            ResourceName name,
            List<Instance> hosts,
            List<Instance> drained,
            Flavour flavour,
            LocalityKeys localityKeys) {
        Map<String, Endpoint> chosen = new LinkedHashMap<>(hosts.size() * 4 / 3 + 1);
        for (Instance instance : hosts) {
            int health = health(instance);
            if (instance.enabled() && (health == HEALTHY || flavour == Flavour.ENVOY)) {
                add(chosen, name, instance, health, localityKeys);
            }
        }
        if (flavour != Flavour.MOSN) {
            for (Instance instance : drained) {
                add(chosen, name, instance, DRAINING, localityKeys);
            }
        }
        List<Endpoint> endpoints = new ArrayList<>(chosen.values());
        endpoints.sort(ORDER);
        boolean weighted = areWeighted(endpoints);
        if (weighted) {
            scale(endpoints, flavour);
        } else {
            endpoints.forEach(one -> one.weight = 1);
        }
        return new EndpointSelection(endpoints, weighted);
    }

    private static void add(
            Map<String, Endpoint> chosen, ResourceName name, Instance instance, int health, LocalityKeys localityKeys) {
        String address = name.holds(instance) ? address(instance) : null;
        if (address != null) {
            chosen.merge(
                    address,
                    new Endpoint(instance, health, weight(instance), localityKeys.of(instance)),
                    EndpointSelection::preferred);
        }
    }

    /** Whether clients accept the address: no host name, no scope, no port 0. */
    static boolean isAddressed(Instance instance) {
        return address(instance) != null;
    }

    /** A client refuses a list, or an endpoint, with a repeated address. */
    private static Endpoint preferred(Endpoint one, Endpoint other) {
        int order = Comparator.comparingInt((Endpoint endpoint) -> endpoint.health)
                .thenComparingInt(endpoint -> -endpoint.weight)
                .thenComparing(endpoint -> endpoint.locality)
                .thenComparing(endpoint -> endpoint.address)
                .compare(one, other);
        return order <= 0 ? one : other;
    }

    /** A key of the address; null where {@link #isAddressed} is false. */
    private static @Nullable String address(Instance instance) {
        String ip = instance.key().ip();
        int port = instance.key().port();
        if (port == 0 || hasLeadingZero(ip)) {
            return null;
        }
        if (NetUtil.isValidIpV4Address(ip)) {
            return ip + ':' + port;
        }
        if (ip.indexOf('%') >= 0 || ip.indexOf('[') >= 0 || !NetUtil.isValidIpV6Address(ip)) {
            return null;
        }
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(ip);
        return bytes == null ? null : NetUtil.bytesToIpAddress(bytes) + '/' + port;
    }

    /** Whether an IPv4 address, or a part of an IPv6 address, has a part such as 010, for which clients refuse the whole list. */
    private static boolean hasLeadingZero(String ip) {
        if (ip.indexOf('.') < 0) {
            return false;
        }
        boolean first = true;
        for (int i = ip.lastIndexOf(':') + 1; i < ip.length(); i++) {
            char c = ip.charAt(i);
            if (first && c == '0' && i + 1 < ip.length() && ip.charAt(i + 1) != '.') {
                return true;
            }
            first = c == '.';
        }
        return false;
    }

    private static int health(Instance instance) {
        return instance.weight() > 0 ? instance.healthy() ? HEALTHY : UNHEALTHY : DRAINING;
    }

    private static int weight(Instance instance) {
        double parts = instance.weight() * WEIGHT_UNIT;
        return instance.weight() > 0 ? (int) Math.max(1, Math.min(MAX_WEIGHT, Math.round(parts))) : 1;
    }

    private static boolean areWeighted(List<Endpoint> endpoints) {
        int first = 0;
        for (Endpoint one : endpoints) {
            if (one.health != DRAINING) {
                if (first == 0) {
                    first = one.weight;
                } else if (first != one.weight) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void scale(List<Endpoint> endpoints, Flavour flavour) {
        if (flavour == Flavour.GRPC) {
            for (Endpoint one : endpoints) {
                one.locality = one.locality.withSubZone("w"
                        + BigDecimal.valueOf(one.weight)
                                .divide(BigDecimal.valueOf(WEIGHT_UNIT))
                                .stripTrailingZeros()
                                .toPlainString());
            }
        }
        if (flavour == Flavour.MOSN) {
            int largest = endpoints.stream().mapToInt(Endpoint::weight).max().orElse(1);
            for (Endpoint one : endpoints) {
                one.weight = (int) Math.max(1, Math.round((double) one.weight * MAX_MOSN_WEIGHT / largest));
            }
        }
        while (endpoints.stream().mapToLong(Endpoint::weight).sum() > MAX_SUM) {
            endpoints.forEach(one -> one.weight = Math.max(1, one.weight / 2));
        }
    }

    Collection<Map.Entry<Locality, List<Endpoint>>> byLocality() {
        Map<Locality, List<Endpoint>> all = new TreeMap<>();
        for (Endpoint one : endpoints) {
            all.computeIfAbsent(one.locality, locality -> new ArrayList<>()).add(one);
        }
        return all.entrySet();
    }

    int size() {
        return endpoints.size();
    }

    /** Whether the endpoints with traffic have different weights. */
    boolean isWeighted() {
        return weighted;
    }
}
