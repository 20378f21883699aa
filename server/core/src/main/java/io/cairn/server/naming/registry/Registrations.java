package io.cairn.server.naming.registry;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.limit.Limit;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Publishes and withdraws instances of this node's publishers. Each change briefly takes the locks of publisher and service. */
public final class Registrations implements OwnPublications {

    /** In place of a time: the present one. */
    public static final long NOW = -1;

    private final Registry registry;
    private volatile @Nullable Limit instanceLimit;

    public Registrations(Registry registry) {
        this.registry = registry;
    }

    /** Of one connection. */
    public void limitInstances(Limit perClient) {
        instanceLimit = perClient;
    }

    /**
     * Replaces the publisher's instances; an empty list leaves no instance.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a service with persistent instances; {@code UNAVAILABLE} for a closed
     *     connection or during a stop
     */
    public void register(Publisher publisher, ServiceKey service, List<Instance> instances) {
        publish(publisher, service, instances, NOW);
    }

    public void publish(Publisher publisher, ServiceKey service, List<Instance> instances, long publishedAt) {
        if (tryPublish(publisher, service, instances, null, publishedAt) == null) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "Client " + publisher.id() + " has gone; nothing was registered");
        }
    }

    public Publication publishAs(
            Publisher.Kind kind, ServiceKey service, Instance instance, @Nullable Lease lease, long publishedAt) {
        InstanceKey key = instance.key();
        String id = kind == Publisher.Kind.HTTP ? Registry.httpId(key) : Registry.persistentId(key);
        Publisher.Client client = new Publisher.Client(key.ip(), key.port(), "", "");
        while (true) {
            Publisher publisher = registry.publisher(id, kind, client);
            Publication publication = tryPublish(publisher, service, List.of(instance), lease, publishedAt);
            if (publication != null) {
                return publication;
            }
            // Its last instance was withdrawn meanwhile.
            registry.remove(publisher);
        }
    }

    /**
     * Null for a closed connection.
     *
     * @param publishedAt no effect if not later than the present publication's
     */
    private @Nullable Publication tryPublish(
            Publisher publisher,
            ServiceKey service,
            List<Instance> instances,
            @Nullable Lease lease,
            long publishedAt) {
        registry.refuseWhenFrozen(publisher);
        Registry.Group members = registry.group();
        ServiceEntry entry;
        ServiceEntry.Outcome outcome;
        Publication publication;
        RegisteredInstance[] before;
        int more;
        synchronized (publisher) {
            if (publisher.isClosed()) {
                return null;
            }
            Publication known = publisher.publication(service);
            if (known != null && publishedAt != NOW && known.publishedAt() >= publishedAt) {
                if (lease != null) {
                    lease.end();
                }
                return known;
            }
            before = known == null ? new RegisteredInstance[0] : known.registered();
            boolean isReturn = known != null && known.isAwaited();
            more = instances.size() - before.length;
            checkInstances(publisher, more);
            publication = known != null ? known : new Publication(publisher);
            long number = publishedAt != NOW ? publishedAt : stamp(members, known);
            try {
                do {
                    entry = registry.findOrAdd(service, publisher.isEphemeral());
                    outcome = entry.publish(publication, instances, number, registry.nowMillis(), members.isShared());
                } while (outcome == ServiceEntry.Outcome.RETIRED);
                publisher.put(service, publication);
                publisher.counted(more);
                publication.leaseWith(lease);
                if (isReturn) {
                    registry.returning().returned();
                }
            } finally {
                registry.forgetIfIdle(publisher);
            }
            publisher.touch(registry.nowMillis());
            if (members.isShared() && publisher.isEphemeral()) {
                members.changes().published(publisher.id(), service);
                registry.forgotten(service, before, instances);
            }
        }
        if (more < 0) {
            registry.losses()
                    .lost(
                            service,
                            LossCause.DEREGISTERED,
                            -more,
                            before[0].published().key());
        }
        registry.changed(entry, outcome);
        registry.deregistered(entry, before);
        return publication;
    }

    /** Later than the present publication, even if the group's clock is behind it. */
    private static long stamp(Registry.Group members, @Nullable Publication known) {
        long now = members.stamps().getAsLong();
        return known == null ? now : Math.max(now, known.publishedAt() + 1);
    }

    private void checkInstances(Publisher publisher, int more) {
        Limit limit = instanceLimit;
        if (limit != null && more > 0 && publisher.kind() == Publisher.Kind.CONNECTION) {
            limit.check((long) publisher.instances() + more);
        }
    }

    /** No effect without instances. */
    public void deregister(Publisher publisher, ServiceKey service) {
        deregister(publisher, service, LossCause.DEREGISTERED);
    }

    public void deregister(Publisher publisher, ServiceKey service, @Nullable LossCause cause) {
        registry.refuseWhenFrozen(publisher);
        Publication removed;
        synchronized (publisher) {
            removed = publisher.remove(service);
            if (removed != null) {
                publisher.counted(-removed.size());
                registry.withdrawn(publisher, service);
                if (publisher.kind() == Publisher.Kind.CONNECTION) {
                    registry.forgotten(service, removed.registered(), List.of());
                }
            }
            publisher.touch(registry.nowMillis());
            registry.forgetIfIdle(publisher);
        }
        if (removed != null) {
            withdraw(service, removed, cause);
        }
    }

    public void end(Publisher publisher, LossCause cause) {
        Map<ServiceKey, Publication> all;
        synchronized (publisher) {
            publisher.close();
            all = publisher.takeAll();
            all.keySet().forEach(service -> registry.withdrawn(publisher, service));
        }
        registry.remove(publisher);
        all.forEach((service, publication) -> withdraw(service, publication, cause));
    }

    /** @param cause null where the loss is counted elsewhere */
    public void withdraw(ServiceKey service, Publication publication, @Nullable LossCause cause) {
        Lease lease = publication.lease();
        if (lease != null) {
            lease.end();
        }
        ServiceEntry entry = registry.find(service);
        if (entry != null) {
            ServiceEntry.Outcome outcome = entry.withdraw(publication);
            if (cause != null && outcome != ServiceEntry.Outcome.NONE) {
                registry.losses().lost(service, cause, publication.registered());
            }
            registry.changed(entry, outcome);
            if (cause == null || cause == LossCause.DEREGISTERED || cause == LossCause.REMOVED) {
                registry.deregistered(entry, publication.registered());
            }
        }
    }

    @Override
    public @Nullable OwnPublication publication(String publisherId, ServiceKey service) {
        Publisher publisher = registry.publisher(publisherId);
        if (publisher == null || !publisher.isEphemeral()) {
            return null;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            // A publication without owner and instances is about to be recorded as moved.
            if (publication == null || !publication.isOwned() && publication.size() == 0) {
                return null;
            }
            List<Instance> instances = new ArrayList<>();
            for (RegisteredInstance registered : publication.registered()) {
                instances.add(registered.published());
            }
            return new OwnPublication(
                    new PublisherDescription(publisher.id(), publisher.kind(), publisher.client()),
                    publication.publishedAt(),
                    instances);
        }
    }
}
