package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server of a test: what each client has registered, and patches of operators over it. */
final class ServiceStoreInMemory implements ServiceStore {

    private static final String BRIDGE = "bridge";

    /** Nacos shows an instance of two clients twice; Cairn once, as the later client has registered it. */
    private final boolean showsBoth;

    private final Map<ServiceKey, Map<String, Map<InstanceKey, Instance>>> clients = new HashMap<>();
    private final Set<InstanceKey> unmarked = new HashSet<>();
    final Map<ServiceKey, ServiceSettings> settings = new HashMap<>();
    final Map<ServiceKey, Map<InstanceKey, Instance>> persistent = new HashMap<>();
    volatile boolean away;
    /** A server that has started and has no clients yet. */
    boolean starting;

    /** Copies that it does not take. */
    final Set<InstanceKey> refused = new HashSet<>();

    boolean mayLoseMarks = true;
    boolean refusesSettings;
    boolean settingsFail;
    int saves;
    int kept;

    @Nullable
    Namespace refusedNamespace;

    /** Services about which it answers with errors. */
    final Set<ServiceKey> broken = new HashSet<>();

    long reconnections;
    boolean hasLostConnection;
    int mirrored;

    ServiceStoreInMemory(boolean showsBoth) {
        this.showsBoth = showsBoth;
    }

    void register(String client, ServiceKey key, Instance instance) {
        of(key).computeIfAbsent(client, id -> new LinkedHashMap<>()).put(instance.key(), instance);
    }

    void deregister(String client, ServiceKey key, InstanceKey instance) {
        of(key).getOrDefault(client, new HashMap<>()).remove(instance);
    }

    private Map<String, Map<InstanceKey, Instance>> of(ServiceKey key) {
        return clients.computeIfAbsent(key, service -> new LinkedHashMap<>());
    }

    /** A patch of the metadata that removes the mark of origin. */
    void dropMark(InstanceKey instance) {
        unmarked.add(instance);
    }

    void bridgeEnds() {
        clients.values().forEach(service -> service.remove(BRIDGE));
    }

    List<InstanceKey> copies(ServiceKey key) {
        return List.copyOf(of(key).getOrDefault(BRIDGE, Map.of()).keySet());
    }

    Instance copy(ServiceKey key, InstanceKey instance) {
        return of(key).getOrDefault(BRIDGE, Map.of()).get(instance);
    }

    private void checkPresent() {
        if (away) {
            throw new SideException("no answer", true, new IllegalStateException());
        }
    }

    @Override
    public void list(Namespace namespace, Consumer<ServiceState> each) {
        checkPresent();
        Set<ServiceKey> keys = new HashSet<>(clients.keySet());
        keys.addAll(settings.keySet());
        keys.addAll(persistent.keySet());
        keys.forEach(key -> each.accept(read(key)));
    }

    @Override
    public ServiceState read(ServiceKey key) {
        checkPresent();
        List<Instance> shown =
                new ArrayList<>(persistent.getOrDefault(key, Map.of()).values());
        Map<InstanceKey, Instance> latest = new LinkedHashMap<>();
        if (!starting) {
            of(key).values().forEach(registered -> {
                if (showsBoth) {
                    registered.values().forEach(instance -> shown.add(patched(instance)));
                } else {
                    registered.forEach((id, instance) -> latest.put(id, patched(instance)));
                }
            });
        }
        shown.addAll(latest.values());
        return new ServiceState(key, settings.getOrDefault(key, ServiceSettings.NONE), shown);
    }

    private Instance patched(Instance instance) {
        if (!unmarked.contains(instance.key())) {
            return instance;
        }
        Map<String, String> metadata = new LinkedHashMap<>(instance.metadata());
        metadata.remove(Origin.MARK);
        return instance.withMetadata(metadata);
    }

    @Override
    public Map<InstanceKey, Integer> publishers(ServiceKey key) {
        checkPresent();
        Map<InstanceKey, Integer> counts = new HashMap<>();
        if (!showsBoth) {
            of(key).values()
                    .forEach(registered ->
                            registered.keySet().forEach(instance -> counts.merge(instance, 1, Integer::sum)));
        }
        return counts;
    }

    @Override
    public void saveSettings(ServiceKey key, ServiceSettings changed, boolean exists) {
        checkPresent();
        saves++;
        if (refusesSettings || settingsFail) {
            throw new SideException("no right", settingsFail, new IllegalStateException());
        }
        settings.put(key, changed);
    }

    @Override
    public void mirror(ServiceKey key, List<Instance> instances) {
        checkPresent();
        mirrored++;
        if (broken.contains(key)) {
            throw new SideException("status 500", true, new IllegalStateException());
        }
        Map<InstanceKey, Instance> now = new LinkedHashMap<>();
        instances.forEach(instance -> now.put(instance.key(), instance));
        boolean isRefused = now.keySet().removeAll(refused);
        of(key).remove(BRIDGE);
        of(key).put(BRIDGE, now);
        if (isRefused) {
            throw new SideException("too long", false, new IllegalStateException());
        }
    }

    @Override
    public void registerPersistent(ServiceKey key, Instance instance) {
        checkPresent();
        persistent.computeIfAbsent(key, service -> new HashMap<>()).put(instance.key(), instance);
    }

    @Override
    public void deregisterPersistent(ServiceKey key, Instance instance) {
        checkPresent();
        persistent.getOrDefault(key, new HashMap<>()).remove(instance.key());
    }

    @Override
    public void watch(ServiceKey key, Consumer<ServiceKey> changed) {
        checkPresent();
    }

    @Override
    public Map<ServiceKey, List<Instance>> keepLeft(
            Namespace namespace, String from, BiPredicate<ServiceKey, InstanceKey> isPersistent) {
        checkPresent();
        if (namespace.equals(refusedNamespace)) {
            throw new SideException("no right", false, new IllegalStateException());
        }
        kept++;
        Map<ServiceKey, List<Instance>> left = new HashMap<>();
        clients.forEach((key, registered) -> {
            if (!key.namespace().equals(namespace)) {
                return;
            }
            List<Instance> copies =
                    List.copyOf(registered.getOrDefault(BRIDGE, Map.of()).values());
            if (!copies.isEmpty()) {
                left.put(key, copies);
            }
        });
        return left;
    }

    @Override
    public boolean mayLoseMarks() {
        return mayLoseMarks;
    }

    @Override
    public long reconnections() {
        return reconnections;
    }

    @Override
    public boolean hasLostConnection() {
        return hasLostConnection;
    }
}
