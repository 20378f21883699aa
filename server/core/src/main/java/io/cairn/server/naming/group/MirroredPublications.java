package io.cairn.server.naming.group;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.HealthChanges;
import io.cairn.server.naming.registry.InstanceAddress;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.registry.Registry;
import io.cairn.server.naming.registry.ServiceEntry;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Other nodes' publications in this registry. A publication replaced by owners stays known, so that it does not return when its
 * node departs.
 */
public final class MirroredPublications implements MirroredRegistry {

    private static final int MOST_CHECKS = 100_000;

    private record Checked(ServiceKey service, InstanceAddress address) {}

    private final Registry registry;
    private final HealthChanges health;
    private final Recovery recovery;
    private final Map<NodeId, ConcurrentHashMap<String, Publisher>> byOrigin = new ConcurrentHashMap<>();
    private final Set<Checked> foundUnhealthy = ConcurrentHashMap.newKeySet();
    private final List<Consumer<String>> onClient = new CopyOnWriteArrayList<>();

    public MirroredPublications(Registry registry, HealthChanges health, Recovery recovery) {
        this.registry = registry;
        this.health = health;
        this.recovery = recovery;
    }

    public void onClient(Consumer<String> listener) {
        onClient.add(listener);
    }

    @Override
    public void set(NodeId origin, MirroredPublication publication) {
        replace(origin, publication, false);
    }

    @Override
    public void hold(NodeId origin, MirroredPublication publication) {
        ServiceEntry entry = registry.find(publication.service());
        Publisher publisher = find(origin, publication);
        ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
        Publication known = null;
        if (publisher != null) {
            synchronized (publisher) {
                known = publisher.publication(publication.service());
                if (known != null && publication.equals(known.source())) {
                    known.hold();
                    outcome = entry == null ? outcome : entry.disown(known);
                } else {
                    known = null;
                }
            }
        }
        if (known == null) {
            replace(origin, publication, true);
        } else {
            if (entry != null) {
                registry.changedElsewhere(entry, outcome);
            }
            notifyClient(publication);
        }
    }

    private void replace(NodeId origin, MirroredPublication publication, boolean held) {
        PublisherDescription description = publication.publisher();
        if (description.kind() == Publisher.Kind.PERSISTENT) {
            throw new IllegalArgumentException(
                    "publisher: " + description.id() + " of " + origin + " is persistent (expected: ephemeral)");
        }
        ServiceEntry entry;
        ServiceEntry.Outcome outcome;
        while (true) {
            Publisher publisher = byOrigin.computeIfAbsent(origin, absent -> new ConcurrentHashMap<>())
                    .computeIfAbsent(
                            description.id(),
                            id -> new Publisher(
                                    origin, id, description.kind(), description.client(), registry.nowMillis()));
            synchronized (publisher) {
                if (publisher.isClosed()) {
                    // Its last publication has ended since.
                    continue;
                }
                publisher.become(description.kind());
                Publication now = new Publication(publisher, publication, held);
                do {
                    entry = registry.findOrAdd(publication.service(), true);
                    outcome = entry.mirror(now, publisher.publication(publication.service()), registry.nowMillis());
                } while (outcome == ServiceEntry.Outcome.RETIRED);
                publisher.put(publication.service(), now);
                publisher.touch(registry.nowMillis());
            }
            break;
        }
        registry.changedElsewhere(entry, outcome);
        notifyClient(publication);
    }

    private void notifyClient(MirroredPublication publication) {
        if (publication.publisher().kind() == Publisher.Kind.HTTP) {
            for (Consumer<String> listener : onClient) {
                listener.accept(publication.publisher().id());
            }
        }
    }

    private @Nullable Publisher find(NodeId origin, MirroredPublication publication) {
        Map<String, Publisher> all = byOrigin.get(origin);
        return all == null ? null : all.get(publication.publisher().id());
    }

    @Override
    public void remove(NodeId origin, MirroredPublication publication) {
        remove(origin, publication, false);
    }

    @Override
    public void release(NodeId origin, MirroredPublication publication) {
        remove(origin, publication, true);
    }

    @Override
    public void lose(NodeId origin, MirroredPublication publication) {
        Publication lost = remove(origin, publication, true);
        // A returning node counts what it remembers itself.
        if (lost != null
                && lost.size() > 0
                && !origin.address().equals(registry.group().self())) {
            count(publication.service(), lost);
        }
    }

    private void count(ServiceKey service, Publication lost) {
        if (lost.publishedAt() == MirroredPublication.BEFORE_ALL) {
            registry.losses().lost(service, LossCause.NOT_BACK, lost.registered());
        } else {
            InstanceKey example = lost.registered()[0].published().key();
            registry.losses().lost(service, LossCause.NOT_BACK, lost.size(), example);
        }
    }

    /** The removed publication, or null. */
    private @Nullable Publication remove(NodeId origin, MirroredPublication publication, boolean ifHeld) {
        Publisher publisher = find(origin, publication);
        if (publisher == null) {
            return null;
        }
        ServiceKey service = publication.service();
        ServiceEntry entry = registry.find(service);
        ServiceEntry.Outcome outcome = ServiceEntry.Outcome.NONE;
        boolean isLast;
        Publication known;
        synchronized (publisher) {
            known = publisher.publication(service);
            if (known == null || ifHeld && !known.isHeld()) {
                return null;
            }
            publisher.remove(service);
            if (entry != null) {
                outcome = entry.withdraw(known);
            }
            isLast = publisher.isEmpty();
            if (isLast) {
                publisher.close();
            }
        }
        if (isLast) {
            byOrigin.computeIfPresent(origin, (same, all) -> {
                all.remove(publisher.id(), publisher);
                return all.isEmpty() ? null : all;
            });
        }
        if (entry != null) {
            registry.changedElsewhere(entry, outcome);
        }
        return known;
    }

    @Override
    public boolean isHeld(NodeId origin, MirroredPublication publication) {
        Publisher publisher = find(origin, publication);
        if (publisher == null) {
            return false;
        }
        synchronized (publisher) {
            Publication known = publisher.publication(publication.service());
            return known != null && known.isHeld() && known.size() > 0;
        }
    }

    @Override
    public long returned() {
        return registry.returning().count();
    }

    @Override
    public void forget(ServiceKey service, InstanceKey instance, long changedAt) {
        recovery.forget(service, instance, changedAt);
    }

    @Override
    public void check(ServiceKey service, InstanceKey instance, boolean healthy) {
        Checked checked = new Checked(service, InstanceAddress.of(instance));
        if (healthy) {
            foundUnhealthy.remove(checked);
        } else if (foundUnhealthy.size() < MOST_CHECKS) {
            // The instance's row may be read later.
            foundUnhealthy.add(checked);
        }
        health.showChecked(service, instance, healthy);
    }

    /** By the last reported check of another node. */
    public boolean isFoundUnhealthy(ServiceKey service, InstanceKey instance) {
        return !foundUnhealthy.isEmpty() && foundUnhealthy.contains(new Checked(service, InstanceAddress.of(instance)));
    }

    public void forgetCheck(ServiceKey service, InstanceKey instance) {
        if (!foundUnhealthy.isEmpty()) {
            foundUnhealthy.remove(new Checked(service, InstanceAddress.of(instance)));
        }
    }

    public long heldInstances() {
        long held = 0;
        for (Map<String, Publisher> all : byOrigin.values()) {
            for (Publisher publisher : all.values()) {
                synchronized (publisher) {
                    for (ServiceKey service : publisher.services()) {
                        Publication each = publisher.publication(service);
                        held += each != null && each.isHeld() ? each.size() : 0;
                    }
                }
            }
        }
        return held;
    }

    /** Clients without a connection, published or held by other nodes. */
    public List<String> clients() {
        List<String> ids = new ArrayList<>();
        for (Map<String, Publisher> all : byOrigin.values()) {
            for (Publisher publisher : all.values()) {
                if (publisher.kind() == Publisher.Kind.HTTP) {
                    ids.add(publisher.id());
                }
            }
        }
        return ids;
    }

    /** Each publication of the client, without locks. */
    void forEachOf(String clientId, BiConsumer<ServiceKey, Publication> consumer) {
        for (Map<String, Publisher> all : byOrigin.values()) {
            Publisher publisher = all.get(clientId);
            if (publisher != null && publisher.kind() == Publisher.Kind.HTTP) {
                for (ServiceKey service : publisher.services()) {
                    Publication publication;
                    synchronized (publisher) {
                        publication = publisher.publication(service);
                    }
                    if (publication != null) {
                        consumer.accept(service, publication);
                    }
                }
            }
        }
    }
}
