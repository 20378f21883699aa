package io.cairn.server.xds.resource;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.GroupedName;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The name of a service or subset, as the name of its cluster, endpoints, API listener and route: {@code orders},
 * {@code group@@orders}, {@code orders~version=2,zone=a}.
 *
 * @param subset required metadata; the key {@value #CLUSTER} is the Nacos cluster. Empty for all instances
 */
public record ResourceName(String group, String service, SortedMap<String, String> subset) {

    /** The subset key of a Nacos cluster. */
    static final String CLUSTER = "cluster";

    private static final char SUBSET_START = '~';

    public ResourceName {
        subset = Collections.unmodifiableSortedMap(new TreeMap<>(subset));
    }

    public static ResourceName of(ServiceKey service) {
        return new ResourceName(service.group(), service.name(), Collections.emptySortedMap());
    }

    /**
     * Reads a name, preferably as a subset. A service's name may look like a subset, so check {@link #wholeService} first.
     *
     * @return null for another name; keys of a subset are sorted, and the default group is omitted
     */
    public static @Nullable ResourceName parse(String text) {
        int start = text.lastIndexOf(SUBSET_START);
        SortedMap<String, String> subset = start < 0 ? null : readSubset(text.substring(start + 1));
        return subset == null ? wholeService(text) : read(text, text.substring(0, start), subset);
    }

    /** Reads a service's name; null for another name. */
    public static @Nullable ResourceName wholeService(String text) {
        return read(text, text, Collections.emptySortedMap());
    }

    private static @Nullable ResourceName read(String text, String groupedName, SortedMap<String, String> subset) {
        String group = GroupedName.group(groupedName);
        String service = GroupedName.service(groupedName);
        if (group.isBlank() || service.isBlank()) {
            return null;
        }
        ResourceName name = new ResourceName(group, service, subset);
        return name.toString().equals(text) ? name : null;
    }

    private static @Nullable SortedMap<String, String> readSubset(String text) {
        SortedMap<String, String> subset = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals <= 0 || subset.put(part.substring(0, equals), part.substring(equals + 1)) != null) {
                return null;
            }
        }
        return subset;
    }

    public ServiceKey service(Namespace namespace) {
        return new ServiceKey(namespace, group, service);
    }

    /** Whether the instance belongs to the subset. */
    boolean holds(Instance instance) {
        for (Map.Entry<String, String> wanted : subset.entrySet()) {
            String actual = wanted.getKey().equals(CLUSTER)
                    ? instance.key().cluster()
                    : instance.metadata().get(wanted.getKey());
            if (!wanted.getValue().equals(actual)) {
                return false;
            }
        }
        return true;
    }

    /** The clients' form. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(GroupedName.of(group, service));
        char separator = SUBSET_START;
        for (Map.Entry<String, String> one : subset.entrySet()) {
            text.append(separator).append(one.getKey()).append('=').append(one.getValue());
            separator = ',';
        }
        return text.toString();
    }
}
