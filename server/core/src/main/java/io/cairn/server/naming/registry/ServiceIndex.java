package io.cairn.server.naming.registry;

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

/** All services by key, and in order of names within namespace and group. */
public final class ServiceIndex {

    private final ConcurrentHashMap<ServiceKey, ServiceEntry> byKey = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<
                    Namespace, ConcurrentNavigableMap<String, ConcurrentNavigableMap<String, ServiceEntry>>>
            byName = new ConcurrentHashMap<>();
    private final LongAdder instances = new LongAdder();
    private final ReturningClients returning;

    /** @param returning counts registrations that end instances without a client */
    ServiceIndex(ReturningClients returning) {
        this.returning = returning;
    }

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
            ServiceEntry added = new ServiceEntry(absent, ephemeral, instances, returning);
            byName.computeIfAbsent(absent.namespace(), namespace -> new ConcurrentSkipListMap<>())
                    .computeIfAbsent(absent.group(), group -> new ConcurrentSkipListMap<>())
                    .put(absent.name(), added);
            return added;
        });
    }

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

    /** In order. */
    Set<String> names(Namespace namespace, String group) {
        Map<String, ConcurrentNavigableMap<String, ServiceEntry>> groups = byName.get(namespace);
        ConcurrentNavigableMap<String, ServiceEntry> names = groups == null ? null : groups.get(group);
        return names == null ? Collections.emptySet() : names.keySet();
    }

    /** By group and name. */
    void forEach(Namespace namespace, Consumer<ServiceEntry> consumer) {
        ConcurrentNavigableMap<String, ConcurrentNavigableMap<String, ServiceEntry>> groups = byName.get(namespace);
        if (groups != null) {
            groups.values().forEach(names -> names.values().forEach(consumer));
        }
    }

    /** Also of former services. */
    Set<Namespace> namespaces() {
        return byName.keySet();
    }

    public Collection<ServiceEntry> all() {
        return byKey.values();
    }

    int size() {
        return byKey.size();
    }

    long instances() {
        return instances.sum();
    }
}
