package io.cairn.server.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All services, found by key, and in order of their names within namespace and group. Thread-safe. */
final class ServiceIndex {

    private final ConcurrentHashMap<ServiceKey, ServiceEntry> byKey = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<
                    Namespace, ConcurrentNavigableMap<String, ConcurrentNavigableMap<String, ServiceEntry>>>
            byName = new ConcurrentHashMap<>();
    private final LongAdder instances = new LongAdder();

    @Nullable
    ServiceEntry find(ServiceKey key) {
        return byKey.get(key);
    }

    ServiceEntry findOrAdd(ServiceKey key, boolean ephemeral) {
        ServiceEntry known = byKey.get(key);
        if (known != null) {
            return known;
        }
        return byKey.computeIfAbsent(key, absent -> {
            ServiceEntry added = new ServiceEntry(absent, ephemeral, instances);
            byName.computeIfAbsent(absent.namespace(), namespace -> new ConcurrentSkipListMap<>())
                    .computeIfAbsent(absent.group(), group -> new ConcurrentSkipListMap<>())
                    .put(absent.name(), added);
            return added;
        });
    }

    /** Takes out a retired entry. */
    void remove(ServiceEntry retired) {
        byKey.computeIfPresent(retired.key(), (key, present) -> {
            if (present != retired) {
                return present;
            }
            Map<String, ConcurrentNavigableMap<String, ServiceEntry>> groups = byName.get(key.namespace());
            ConcurrentNavigableMap<String, ServiceEntry> names = groups == null ? null : groups.get(key.group());
            if (names != null) {
                names.remove(key.name(), retired);
            }
            return null;
        });
    }

    /** The names of the services of one group, in order. */
    Set<String> names(Namespace namespace, String group) {
        Map<String, ConcurrentNavigableMap<String, ServiceEntry>> groups = byName.get(namespace);
        ConcurrentNavigableMap<String, ServiceEntry> names = groups == null ? null : groups.get(group);
        return names == null ? Collections.emptySet() : names.keySet();
    }

    /** The services of a namespace, ordered by group and name. */
    void forEach(Namespace namespace, Consumer<ServiceEntry> consumer) {
        ConcurrentNavigableMap<String, ConcurrentNavigableMap<String, ServiceEntry>> groups = byName.get(namespace);
        if (groups != null) {
            groups.values().forEach(names -> names.values().forEach(consumer));
        }
    }

    /** The namespaces that have or had services. */
    Set<Namespace> namespaces() {
        return byName.keySet();
    }

    Collection<ServiceEntry> all() {
        return byKey.values();
    }

    int size() {
        return byKey.size();
    }

    /** The instances of all services. */
    long instances() {
        return instances.sum();
    }
}
