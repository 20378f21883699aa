package io.cairn.server.naming.group;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.registry.Lease;
import io.cairn.server.naming.registry.Publication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.Registrations;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.ServiceEntry;
import io.cairn.server.node.NodeId;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves clients without a connection, {@code ip:port#true}, between nodes as their owners change. Never blocks. No list is shorter
 * meanwhile: the new owner publishes first, the old one withdraws when it sees that.
 */
public final class ClientHandover implements ClientAdoption {

    private static final Logger log = LoggerFactory.getLogger(ClientHandover.class);

    private final Registry registry;
    private final Registrations registrations;
    private final HttpLeases leases;
    private final MirroredPublications mirrored;

    public ClientHandover(
            Registry registry, Registrations registrations, HttpLeases leases, MirroredPublications mirrored) {
        this.registry = registry;
        this.registrations = registrations;
        this.leases = leases;
        this.mirrored = mirrored;
    }

    /** The client of an instance registered without a connection. */
    public static String clientId(InstanceKey instance) {
        return Registry.httpId(instance);
    }

    @Override
    public @Nullable KnownClient find(ServiceKey service, InstanceKey instance) {
        String client = clientId(instance);
        Publisher own = registry.publisher(client);
        if (own != null) {
            synchronized (own) {
                Publication publication = own.publication(service);
                if (publication != null && publication.size() > 0) {
                    return known(null, publication);
                }
            }
        }
        KnownClient[] latest = {null};
        mirrored.forEachOf(client, (each, publication) -> {
            if (each.equals(service)
                    && publication.size() > 0
                    && (latest[0] == null || publication.publishedAt() >= latest[0].publishedAt())) {
                latest[0] = known(publication.publisher().origin(), publication);
            }
        });
        return latest[0];
    }

    /** An HTTP client publishes one instance of a service. */
    private static KnownClient known(@Nullable NodeId origin, Publication publication) {
        Instance instance =
                publication.isEncoded() ? publication.decode().get(0) : publication.registered()[0].published();
        return new KnownClient(origin, publication.publishedAt(), instance);
    }

    @Override
    public int adopt(Predicate<String> isOwn) {
        int adopted = 0;
        for (String client : mirrored.clients()) {
            adopted += isOwn.test(client) ? adopt(client) : 0;
        }
        return adopted;
    }

    @Override
    public int adopt(String clientId) {
        int[] adopted = {0};
        mirrored.forEachOf(clientId, (service, publication) -> {
            try {
                adopted[0] += adopt(service, publication) ? 1 : 0;
            } catch (CairnException e) {
                log.warn(
                        "Client {} stays with {} for service {}: {}",
                        clientId,
                        publication.publisher().origin(),
                        service,
                        e.text());
            }
        });
        return adopted[0];
    }

    @Override
    public int handOver(Predicate<String> isOwn) {
        int handedOver = 0;
        for (Publisher publisher : registry.publishers()) {
            if (publisher.kind() == Publisher.Kind.HTTP && !isOwn.test(publisher.id())) {
                handedOver += handOver(publisher.id());
            }
        }
        return handedOver;
    }

    @Override
    public int handOver(String clientId) {
        int[] handedOver = {0};
        mirrored.forEachOf(clientId, (service, publication) -> {
            if (publication.isOwned() && publication.size() > 0) {
                handedOver[0] += handOver(clientId, service, publication) ? 1 : 0;
            }
        });
        return handedOver[0];
    }

    /**
     * Publishes another node's or a held instance here, with its time and a new lease.
     *
     * @return whether it still existed, and this node had no later or equal one
     */
    private boolean adopt(ServiceKey service, Publication from) {
        Publisher origin = from.publisher();
        if (registry.isFrozen() || hasPublished(origin.id(), service, from.publishedAt())) {
            return false;
        }
        List<Instance> instances = from.decode();
        if (instances.size() != 1) {
            return false;
        }
        Lease lease = new Lease(instances.get(0), registry.nanoTime());
        lease.awaitFirstBeat();
        while (true) {
            Publisher publisher = registry.publisher(origin.id(), Publisher.Kind.HTTP, origin.client());
            ServiceEntry entry = registry.find(service);
            ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
            Publication publication;
            synchronized (publisher) {
                if (publisher.isClosed()) {
                    registry.remove(publisher);
                    continue;
                }
                Publication known = publisher.publication(service);
                publication = known != null ? known : new Publication(publisher);
                try {
                    if (entry != null && (known == null || known.publishedAt() < from.publishedAt())) {
                        outcome = entry.adopt(publication, from, registry.nowMillis());
                    }
                    if (outcome != ServiceEntry.Outcome.NONE) {
                        publisher.put(service, publication);
                        publisher.counted(known == null ? 1 : 0);
                        publication.leaseWith(lease);
                        registry.group().changes().published(publisher.id(), service);
                    }
                } finally {
                    registry.forgetIfIdle(publisher);
                }
            }
            if (entry == null || outcome == ServiceEntry.Outcome.NONE) {
                return false;
            }
            registry.changed(entry, outcome);
            leases.watch(service, publication, lease);
            // After the publication: a deregistration that arrives in between finds it.
            InstanceKey instance = instances.get(0).key();
            leases.endAwaited(service, instance, registry.group().changes().deregisteredAt(service, instance));
            return true;
        }
    }

    @Override
    public void adopt(ServiceKey service, Instance instance, long publishedAt) {
        if (!registry.isFrozen() && !hasPublished(Registry.httpId(instance.key()), service, publishedAt)) {
            leases.register(service, instance, publishedAt);
        }
    }

    /** Whether the publisher here has a publication since then. */
    private boolean hasPublished(String publisherId, ServiceKey service, long since) {
        Publisher publisher = registry.publisher(publisherId);
        if (publisher == null) {
            return false;
        }
        synchronized (publisher) {
            Publication known = publisher.publication(service);
            return known != null && known.publishedAt() >= since;
        }
    }

    /**
     * Withdraws the publication in favour of another node's later or equal one.
     *
     * @return whether there was one
     */
    private boolean handOver(String clientId, ServiceKey service, Publication to) {
        Publisher publisher = registry.publisher(clientId);
        NodeId owner = to.publisher().origin();
        if (publisher == null || owner == null || registry.isFrozen()) {
            return false;
        }
        Publication removed;
        synchronized (publisher) {
            removed = publisher.publication(service);
            if (removed == null || removed.publishedAt() > to.publishedAt()) {
                return false;
            }
            publisher.remove(service);
            publisher.counted(-removed.size());
            registry.group().changes().moved(clientId, service, owner.address());
            registry.forgetIfIdle(publisher);
        }
        registrations.withdraw(service, removed, null);
        return true;
    }

    public boolean isPublishedHere(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(clientId(instance));
        if (publisher == null) {
            return false;
        }
        synchronized (publisher) {
            return publisher.publication(service) != null;
        }
    }

    public @Nullable NodeId publishedBy(ServiceKey service, InstanceKey instance) {
        NodeId[] origin = {null};
        mirrored.forEachOf(clientId(instance), (each, publication) -> {
            if (each.equals(service) && publication.size() > 0) {
                origin[0] = publication.publisher().origin();
            }
        });
        return origin[0];
    }

    @Override
    public List<String> ownClients() {
        return registry.publishers().stream()
                .filter(publisher -> publisher.kind() == Publisher.Kind.HTTP)
                .map(Publisher::id)
                .toList();
    }
}
