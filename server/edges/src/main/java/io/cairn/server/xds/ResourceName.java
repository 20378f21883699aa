package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The name of a service, or of a subset of its instances, as the name of a cluster, of its endpoints, of an API listener and of a
 * route: {@code orders}, {@code group@@orders}, {@code orders~version=2,zone=a}. Immutable.
 *
 * @param subset metadata that an instance must have; the key {@value #CLUSTER} is the Nacos cluster. Empty for all instances
 */
public record ResourceName(String group, String service, SortedMap<String, String> subset) {

    /** The key of a subset that names a Nacos cluster. */
    static final String CLUSTER = "cluster";

    private static final String GROUP_END = "@@";
    private static final char SUBSET_START = '~';

    public ResourceName {
        subset = Collections.unmodifiableSortedMap(new TreeMap<>(subset));
    }

    /** The name of a whole service. */
    public static ResourceName of(ServiceKey service) {
        return new ResourceName(service.group(), service.name(), Collections.emptySortedMap());
    }

    /**
     * Reads a name, as that of a subset where it can be one. The name of a service may look like a subset, so look for
     * {@link #wholeService} first.
     *
     * @return null when neither a service nor a subset has this name; keys of a subset are sorted, and the default group is not named
     */
    public static @Nullable ResourceName parse(String text) {
        int start = text.lastIndexOf(SUBSET_START);
        SortedMap<String, String> subset = start < 0 ? null : readSubset(text.substring(start + 1));
        return subset == null ? wholeService(text) : read(text, text.substring(0, start), subset);
    }

    /** Reads a name as that of a whole service; null when no service has this name. */
    public static @Nullable ResourceName wholeService(String text) {
        return read(text, text, Collections.emptySortedMap());
    }

    private static @Nullable ResourceName read(String text, String groupedName, SortedMap<String, String> subset) {
        int end = groupedName.indexOf(GROUP_END);
        String group = end < 0 ? ServiceKey.DEFAULT_GROUP : groupedName.substring(0, end);
        String service = end < 0 ? groupedName : groupedName.substring(end + GROUP_END.length());
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

    /** The service in a namespace. */
    public ServiceKey service(Namespace namespace) {
        return new ServiceKey(namespace, group, service);
    }

    /** Whether an instance of the service belongs to the subset. */
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

    /** The name as clients know it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (!group.equals(ServiceKey.DEFAULT_GROUP)) {
            text.append(group).append(GROUP_END);
        }
        text.append(service);
        char separator = SUBSET_START;
        for (Map.Entry<String, String> one : subset.entrySet()) {
            text.append(separator).append(one.getKey()).append('=').append(one.getValue());
            separator = ',';
        }
        return text.toString();
    }
}
