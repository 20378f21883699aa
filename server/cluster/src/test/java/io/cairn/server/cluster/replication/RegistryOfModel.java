package io.cairn.server.cluster.replication;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.naming.registry.OwnPublications;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The registry of one node, as far as replication sees it: own publications, mirrored ones, and what is held, with the leases of HTTP
 * clients. Each publisher has one instance. In its plainest form; it tells whenever an instance is no longer listed.
 */
final class RegistryOfModel implements NodeRegistry, MirroredRegistry, OwnPublications {

    private static final long SECOND = 1_000 * LocalGroup.MILLI;
    private static final long LEASE = 30 * SECOND;

    record Own(PublisherDescription publisher, ServiceKey service, long publishedAt, Instance instance) {}

    /** Identifies a publication of another node, or a held one. */
    record MirrorKey(NodeId origin, String publisherId, ServiceKey service) {}

    private static final class Mirror {

        private final MirroredPublication publication;
        private final Instance instance;
        private boolean held;
        private boolean ended;

        Mirror(MirroredPublication publication) {
            this.publication = publication;
            this.instance = publication.instances().decode().get(0);
        }

        /** Whether an owner stands behind it, so that it ends what is held of the same instance. */
        boolean isOwned() {
            return !held && publication.publisher().kind() != Publisher.Kind.RECOVERED;
        }
    }

    private final Map<String, Own> own = new LinkedHashMap<>();
    private final Map<MirrorKey, Mirror> mirrors = new LinkedHashMap<>();
    private final Map<InstanceKey, Integer> listed = new HashMap<>();
    private final Map<String, Long> leases = new HashMap<>();
    private final Map<String, Long> recoveredUntil = new LinkedHashMap<>();
    private final Surroundings node;
    private final String address;
    private long lastRun;
    private boolean wasPaused;
    private boolean isPauseJustFound;
    private long returned;
    private @Nullable OwnChanges changes;

    RegistryOfModel(Surroundings node) {
        this.node = node;
        this.address = node.id().address();
        this.lastRun = node.nanoTime();
    }

    @Override
    public void recordIn(OwnChanges log) {
        changes = log;
    }

    @Override
    public MirroredRegistry mirrored() {
        return this;
    }

    @Override
    public OwnPublications publications() {
        return this;
    }

    private OwnChanges log() {
        if (changes == null) {
            throw new IllegalStateException("no log yet");
        }
        return changes;
    }

    private void publish(PublisherDescription publisher, ServiceKey service, long publishedAt, Instance instance) {
        Own now = new Own(publisher, service, publishedAt, instance);
        count(instance.key(), 1);
        Own before = own.put(publisher.id(), now);
        log().published(publisher.id(), service);
        if (before != null) {
            count(before.instance().key(), -1);
        }
        node.seen(instance);
        if (publisher.kind() != Publisher.Kind.RECOVERED) {
            endHeld(instance.key(), publishedAt, address);
        }
    }

    /** The connection has ended, its instance stays until another publication has it. */
    private void recover(Own left) {
        PublisherDescription was = left.publisher();
        PublisherDescription now = new PublisherDescription(was.id(), Publisher.Kind.RECOVERED, was.client());
        publish(now, left.service(), left.publishedAt(), left.instance());
        NodeId elsewhere = ownerOf(left.instance().key(), left.publishedAt());
        boolean here = own.values().stream()
                .anyMatch(each -> each.publisher().kind() != Publisher.Kind.RECOVERED
                        && each.publishedAt() >= left.publishedAt()
                        && each.instance().key().equals(left.instance().key()));
        if (here || elsewhere != null) {
            move(was.id(), here || elsewhere == null ? address : elsewhere.address());
        }
    }

    private @Nullable NodeId ownerOf(InstanceKey instance, long since) {
        for (Map.Entry<MirrorKey, Mirror> each : mirrors.entrySet()) {
            Mirror mirror = each.getValue();
            if (!mirror.ended
                    && mirror.isOwned()
                    && mirror.publication.publishedAt() >= since
                    && mirror.instance.key().equals(instance)) {
                return each.getKey().origin();
            }
        }
        return null;
    }

    private @Nullable Own own(String publisherId) {
        return own.get(publisherId);
    }

    private List<Own> own() {
        return new ArrayList<>(own.values());
    }

    private void withdraw(String publisherId) {
        Own gone = own.remove(publisherId);
        if (gone != null) {
            log().withdrawn(publisherId, gone.service());
            count(gone.instance().key(), -1);
        }
    }

    /** Ends it, because another publication of the instance is listed already. */
    private void move(String publisherId, String to) {
        Own gone = own.remove(publisherId);
        if (gone != null) {
            log().moved(publisherId, gone.service(), to);
            count(gone.instance().key(), -1);
        }
    }

    /** A client has deregistered the instance here. */
    private void deregistered(ServiceKey service, InstanceKey instance, long changedAt) {
        forget(service, instance, changedAt);
        log().forgotten(service, instance);
    }

    @Override
    public @Nullable OwnPublication publication(String publisherId, ServiceKey service) {
        Own now = own.get(publisherId);
        return now == null || !now.service().equals(service)
                ? null
                : new OwnPublication(now.publisher(), now.publishedAt(), List.of(now.instance()));
    }

    private static MirrorKey key(NodeId origin, MirroredPublication publication) {
        return new MirrorKey(origin, publication.publisher().id(), publication.service());
    }

    @Override
    public void set(NodeId origin, MirroredPublication publication) {
        Mirror now = new Mirror(publication);
        InstanceKey instance = now.instance.key();
        boolean superseded = !now.isOwned()
                && isOwnedByAny(instance, publication.publishedAt(), mirrors.get(key(origin, publication)));
        now.ended = superseded;
        count(instance, superseded ? 0 : 1);
        Mirror before = mirrors.put(key(origin, publication), now);
        node.seen(now.instance);
        if (before != null && !before.ended) {
            count(before.instance.key(), -1);
        }
        if (now.isOwned()) {
            endHeld(instance, publication.publishedAt(), origin.address());
        }
        if (publication.publisher().kind() == Publisher.Kind.HTTP) {
            // Not in the call of the replication.
            node.after(0, () -> {
                adopt(publication);
                handOver(publication.publisher().id());
            });
        }
    }

    /** Whether an owner has published the instance then or later. */
    private boolean isOwnedByAny(InstanceKey instance, long since, @Nullable Mirror but) {
        return own.values().stream()
                        .anyMatch(each -> each.instance().key().equals(instance)
                                && each.publishedAt() >= since
                                && each.publisher().kind() != Publisher.Kind.RECOVERED)
                || mirrors.values().stream()
                        .anyMatch(each -> each != but
                                && !each.ended
                                && each.isOwned()
                                && each.publication.publishedAt() >= since
                                && each.instance.key().equals(instance));
    }

    /** Ends what is held or recovered of the instance, unless it is from later: an owner has it. */
    private void endHeld(InstanceKey instance, long publishedAt, String owner) {
        for (Mirror each : mirrors.values()) {
            if (!each.ended
                    && !each.isOwned()
                    && each.publication.publishedAt() <= publishedAt
                    && each.instance.key().equals(instance)) {
                returned++;
                end(each);
            }
        }
        for (Own each : own()) {
            if (each.publisher().kind() == Publisher.Kind.RECOVERED
                    && each.publishedAt() <= publishedAt
                    && each.instance().key().equals(instance)) {
                returned++;
                move(each.publisher().id(), owner);
            }
        }
    }

    private void end(Mirror mirror) {
        mirror.ended = true;
        count(mirror.instance.key(), -1);
    }

    @Override
    public void remove(NodeId origin, MirroredPublication publication) {
        Mirror gone = mirrors.remove(key(origin, publication));
        if (gone != null && !gone.ended) {
            count(gone.instance.key(), -1);
        }
    }

    @Override
    public void hold(NodeId origin, MirroredPublication publication) {
        Mirror known = mirrors.get(key(origin, publication));
        if (known == null || !known.publication.equals(publication)) {
            Mirror before = known;
            known = new Mirror(publication);
            mirrors.put(key(origin, publication), known);
            count(known.instance.key(), 1);
            if (before != null && !before.ended) {
                count(before.instance.key(), -1);
            }
        }
        known.held = true;
        if (!known.ended && isOwnedByAny(known.instance.key(), publication.publishedAt(), known)) {
            end(known);
        }
    }

    @Override
    public void release(NodeId origin, MirroredPublication publication) {
        Mirror known = mirrors.get(key(origin, publication));
        if (known != null && known.held) {
            remove(origin, publication);
        }
    }

    @Override
    public void lose(NodeId origin, MirroredPublication publication) {
        release(origin, publication);
    }

    @Override
    public long returned() {
        return returned;
    }

    @Override
    public boolean isHeld(NodeId origin, MirroredPublication publication) {
        Mirror known = mirrors.get(key(origin, publication));
        return known != null && known.held && !known.ended;
    }

    @Override
    public void forget(ServiceKey service, InstanceKey instance, long changedAt) {
        for (Mirror each : mirrors.values()) {
            if (!each.ended
                    && !each.isOwned()
                    && each.publication.publishedAt() < changedAt
                    && each.publication.service().equals(service)
                    && each.instance.key().ip().equals(instance.ip())
                    && each.instance.key().port() == instance.port()) {
                end(each);
            }
        }
        for (Own each : own()) {
            if (each.publisher().kind() == Publisher.Kind.RECOVERED
                    && each.publishedAt() < changedAt
                    && each.service().equals(service)
                    && each.instance().key().equals(instance)) {
                withdraw(each.publisher().id());
            }
        }
    }

    @Override
    public void check(ServiceKey service, InstanceKey instance, boolean healthy) {
        throw new AssertionError("the model has no persistent instances");
    }

    /** The mirrored or held publications of HTTP clients that are listed. */
    private List<MirroredPublication> mirroredHttp() {
        return mirrors.values().stream()
                .filter(each -> !each.ended && each.publication.publisher().kind() == Publisher.Kind.HTTP)
                .map(each -> each.publication)
                .toList();
    }

    @Override
    public void connected(String connection, Publisher.Client client, ServiceKey service, Instance instance) {
        publish(
                new PublisherDescription(connection, Publisher.Kind.CONNECTION, client),
                service,
                node.clock().stamp(),
                instance);
    }

    @Override
    public void disconnected(String connection, boolean moves) {
        findPause();
        Own left = own(connection);
        if (left != null && (moves || wasPaused)) {
            recoveredUntil.put(connection, node.nanoTime() + ReplicationModel.WINDOW.toNanos());
            recover(left);
        } else {
            withdraw(connection);
        }
    }

    @Override
    public void deregister(String connection, ServiceKey service, InstanceKey instance) {
        withdraw(connection);
        deregistered(service, instance, node.clock().stamp());
    }

    private static String httpId(InstanceKey key) {
        return key.ip() + ':' + key.port() + "#true";
    }

    @Override
    public void registerHttp(ServiceKey service, Instance instance) {
        InstanceKey key = instance.key();
        leases.put(httpId(key), node.nanoTime() + LEASE);
        publish(
                new PublisherDescription(
                        httpId(key), Publisher.Kind.HTTP, new Publisher.Client(key.ip(), key.port(), "", "")),
                service,
                node.clock().stamp(),
                instance);
    }

    @Override
    public boolean beat(ServiceKey service, InstanceKey instance) {
        String client = httpId(instance);
        if (own(client) != null) {
            leases.put(client, node.nanoTime() + LEASE);
            return true;
        }
        for (MirroredPublication each : mirroredHttp()) {
            if (each.publisher().id().equals(client)) {
                adopt(each);
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean publishesHttp(ServiceKey service, InstanceKey instance) {
        return own(httpId(instance)) != null;
    }

    @Override
    public void deregisterHttp(ServiceKey service, InstanceKey instance) {
        leases.remove(httpId(instance));
        withdraw(httpId(instance));
        deregistered(service, instance, node.clock().stamp());
    }

    @Override
    public void runs() {
        findPause();
        lastRun = node.nanoTime();
    }

    /** After a pause, leases begin again, and a connection that is found closed was not closed by its client. */
    private void findPause() {
        if (node.nanoTime() - lastRun > 4 * SECOND) {
            wasPaused = true;
            isPauseJustFound = true;
            leases.replaceAll((client, until) -> node.nanoTime() + LEASE);
        }
    }

    @Override
    public void everySecond(boolean isInStep, boolean isCutOff) {
        if (isInStep && !isCutOff && !isPauseJustFound) {
            wasPaused = false;
        }
        isPauseJustFound = false;
        if (node.isReady()) {
            mirroredHttp().forEach(this::adopt);
            for (Own each : own()) {
                if (each.publisher().kind() == Publisher.Kind.HTTP) {
                    handOver(each.publisher().id());
                }
            }
        }
        expire(isCutOff);
    }

    private void adopt(MirroredPublication publication) {
        String client = publication.publisher().id();
        Own known = own(client);
        boolean newer = known == null || known.publishedAt() < publication.publishedAt();
        if (node.isReady() && newer && node.isOwn(client)) {
            leases.put(client, node.nanoTime() + LEASE);
            publish(
                    publication.publisher(),
                    publication.service(),
                    publication.publishedAt(),
                    publication.instances().decode().get(0));
        }
    }

    /** Only to an owner that has the latest registration. */
    private void handOver(String client) {
        Own known = own(client);
        NodeId owner = known == null ? null : ownerElsewhere(client, known.publishedAt());
        if (owner != null && !node.isOwn(client)) {
            leases.remove(client);
            move(client, owner.address());
        }
    }

    private void expire(boolean isCutOff) {
        long now = node.nanoTime();
        if (isCutOff) {
            // The clients may be at the other nodes; their windows begin when this node sees those again.
            leases.replaceAll((client, until) -> now + LEASE);
            recoveredUntil.replaceAll((client, until) -> now + ReplicationModel.WINDOW.toNanos());
            return;
        }
        for (Own each : own()) {
            String publisher = each.publisher().id();
            Long until = each.publisher().kind() == Publisher.Kind.HTTP
                    ? leases.get(publisher)
                    : recoveredUntil.get(publisher);
            if (until != null && now > until) {
                withdraw(publisher);
            }
        }
    }

    /** The node that has published it then or later, and not only holds it; null when there is none. */
    private @Nullable NodeId ownerElsewhere(String publisherId, long since) {
        for (Map.Entry<MirrorKey, Mirror> each : mirrors.entrySet()) {
            if (each.getKey().publisherId().equals(publisherId)
                    && each.getValue().isOwned()
                    && each.getValue().publication.publishedAt() >= since) {
                return each.getKey().origin();
            }
        }
        return null;
    }

    private void count(InstanceKey instance, int more) {
        int now = listed.merge(instance, more, Integer::sum);
        if (now == 0) {
            listed.remove(instance);
            if (more < 0) {
                node.unlisted(instance);
            }
        }
    }

    @Override
    public boolean lists(ServiceKey service, InstanceKey instance) {
        return listed.containsKey(instance);
    }

    @Override
    public Map<InstanceKey, Instance> list() {
        Map<InstanceKey, Instance> all = new HashMap<>();
        Map<InstanceKey, Long> times = new HashMap<>();
        for (Own each : own.values()) {
            put(all, times, each.instance(), each.publishedAt());
        }
        for (Mirror each : mirrors.values()) {
            if (!each.ended) {
                put(all, times, each.instance, each.publication.publishedAt());
            }
        }
        return all;
    }

    private static void put(
            Map<InstanceKey, Instance> all, Map<InstanceKey, Long> times, Instance instance, long publishedAt) {
        if (times.getOrDefault(instance.key(), -1L) < publishedAt) {
            times.put(instance.key(), publishedAt);
            all.put(instance.key(), instance);
        }
    }

    @Override
    public boolean holdsAnything() {
        return mirrors.values().stream().anyMatch(each -> each.held && !each.ended);
    }
}
