package io.cairn.cli;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.SideException;
import io.cairn.client.CairnClient;
import io.cairn.client.ClientBuilder;
import io.cairn.client.naming.Registration;
import io.cairn.client.naming.ServiceWatch;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

final class BridgeClients implements BridgeLink {

    private static final Set<ErrorCode> TEMPORARY = EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.BUSY, ErrorCode.BEHIND);

    private final Supplier<ClientBuilder> settings;
    private final Map<Namespace, CairnClient> clients = new HashMap<>();
    private final Map<ServiceKey, Registration> copies = new HashMap<>();
    private final Map<ServiceKey, ServiceWatch> watches = new ConcurrentHashMap<>();

    BridgeClients(Supplier<ClientBuilder> settings) {
        this.settings = settings;
    }

    private synchronized CairnClient client(Namespace namespace) {
        return clients.computeIfAbsent(namespace, id -> settings.get()
                .namespace(id.id())
                .noSnapshots()
                .application("cairn-migrate")
                // Cairn keeps the copies of a killed bridge until its next start, for a limited time.
                .label("cairn.keep-instances", "true")
                .name("cairn-migrate-client")
                .build());
    }

    @Override
    public boolean registers() {
        return true;
    }

    @Override
    public synchronized void mirror(ServiceKey key, List<Instance> instances) {
        Registration before = copies.get(key);
        try {
            if (instances.isEmpty()) {
                if (before != null) {
                    before.deregisterAsync().join();
                    copies.remove(key);
                }
                return;
            }
            Registration now = client(key.namespace()).naming().registerAll(key, instances);
            copies.put(key, now);
            // After the new ones, so that an instance of both stays without a gap.
            CompletableFuture<Void> gone = before == null ? null : before.deregisterAsync();
            if (gone != null) {
                gone.join();
            }
        } catch (CompletionException e) {
            throw failed(
                    e.getCause() instanceof CairnException cause
                            ? cause
                            : new CairnException(ErrorCode.INTERNAL, String.valueOf(e.getCause())));
        } catch (CairnException e) {
            throw failed(e);
        }
    }

    private static SideException failed(CairnException failure) {
        return new SideException(String.valueOf(failure.getMessage()), TEMPORARY.contains(failure.code()), failure);
    }

    @Override
    public void watch(ServiceKey key, Consumer<ServiceKey> changed) {
        if (watches.containsKey(key)) {
            return;
        }
        try {
            watches.put(
                    key, client(key.namespace()).naming().subscribe(key, change -> changed.accept(key), Runnable::run));
        } catch (CairnException e) {
            throw failed(e);
        }
    }

    @Override
    public synchronized boolean isMirrored(ServiceKey key) {
        return copies.containsKey(key);
    }

    @Override
    public synchronized long reconnections() {
        return clients.values().stream()
                .mapToLong(client -> Math.max(0, client.connections() - 1))
                .sum();
    }

    @Override
    public synchronized boolean hasLostConnection() {
        return clients.values().stream().anyMatch(client -> client.connections() > 0 && !client.connected());
    }

    @Override
    public synchronized void close() {
        clients.values().forEach(CairnClient::close);
        clients.clear();
        copies.clear();
        watches.clear();
    }
}
