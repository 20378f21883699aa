package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The publications of a service that have no owner: from before a restart, left by a connection that moved, or of a node that has left.
 * Their instances end when a publication with an owner names them. Used with the lock of the service held.
 */
final class OwnerlessPublications {

    private final ServiceEntry service;
    private final ServicePublications shown;
    private final List<Publication> remembered = new ArrayList<>(0);
    /** Null while none is looked for. */
    private @Nullable InstanceOwners owners;

    /** @param shown all publications of the service, these among them */
    OwnerlessPublications(ServiceEntry service, ServicePublications shown) {
        this.service = service;
        this.shown = shown;
    }

    boolean isEmpty() {
        return remembered.isEmpty();
    }

    void add(Publication publication) {
        remembered.add(publication);
    }

    /** In place of the one before, if there was one. */
    void replace(@Nullable Publication before, Publication publication) {
        remembered.remove(before);
        remembered.add(publication);
    }

    /** To be called when a publication, with or without an owner, is no longer shown. */
    void withdrawn(Publication publication) {
        if (publication.isOwned()) {
            notOwner(publication);
        } else {
            remembered.remove(publication);
        }
    }

    /** The instances of the publication, which is about to change, no longer have it as their owner. */
    void notOwner(Publication publication) {
        if (owners != null) {
            owners.remove(publication);
        }
    }

    /** From here on until no publication without an owner is left, the owners of all instances are known. */
    void indexOwners() {
        if (owners == null) {
            InstanceOwners index = new InstanceOwners();
            for (Publication each : shown.all()) {
                if (each.isOwned()) {
                    index.add(each);
                }
            }
            owners = index;
        }
    }

    void forgetOwners() {
        if (remembered.isEmpty()) {
            owners = null;
        }
    }

    /** To be called when an owner has published; returns how many other instances have ended with that. */
    int published(Publication publication) {
        if (owners != null) {
            owners.add(publication);
        }
        if (remembered.isEmpty()) {
            return 0;
        }
        // An instance that its own publisher has registered need not be remembered any more.
        Set<InstanceKey> keys = new HashSet<>(publication.size() * 2);
        InstanceOwners.forEachKey(publication, keys::add);
        return forget(keys::contains, publication.publishedAt(), publication.publisher());
    }

    /** Ends the instances that a publication with an owner names, from the same time or later; returns one such. */
    @Nullable
    Publication endSuperseded(Publication publication) {
        InstanceOwners index = owners;
        if (index == null) {
            return null;
        }
        Publication owner = null;
        List<RegisteredInstance> left = new ArrayList<>(publication.size());
        for (RegisteredInstance each : publication.hosted()) {
            Publication other = index.since(each.published().key(), publication.publishedAt());
            if (other == null) {
                left.add(each);
            } else {
                owner = other;
            }
        }
        if (owner != null) {
            publication.replace(service, left.toArray(new RegisteredInstance[0]));
        }
        return owner;
    }

    /**
     * Ends the instances that a publication with an owner names; returns their number.
     *
     * @param latest those that were published later stay
     */
    int forgetWithOwner(long latest) {
        if (remembered.isEmpty()) {
            return 0;
        }
        indexOwners();
        InstanceOwners index = owners;
        return index == null ? 0 : forget(known -> index.since(known, latest) != null, latest, null);
    }

    /**
     * Returns the number of removed instances. A publication that is empty then has no publisher any more.
     *
     * @param latest publications with a later time stay
     * @param by the publisher that has published them; null when their client has deregistered them
     */
    int forget(Predicate<InstanceKey> isBack, long latest, @Nullable Publisher by) {
        int forgotten = 0;
        for (Iterator<Publication> all = remembered.iterator(); all.hasNext(); ) {
            Publication publication = all.next();
            if (publication.publishedAt() > latest || !names(publication, isBack)) {
                continue;
            }
            List<RegisteredInstance> left = new ArrayList<>(publication.size());
            for (RegisteredInstance each : publication.hosted()) {
                if (!isBack.test(each.published().key())) {
                    left.add(each);
                }
            }
            forgotten += publication.size() - left.size();
            publication.replace(service, left.toArray(new RegisteredInstance[0]));
            if (left.isEmpty()) {
                all.remove();
                shown.drop(publication);
                service.ended(publication, by);
            }
        }
        forgetOwners();
        return forgotten;
    }

    private static boolean names(Publication publication, Predicate<InstanceKey> isWanted) {
        for (RegisteredInstance each : publication.hosted()) {
            if (isWanted.test(each.published().key())) {
                return true;
            }
        }
        return false;
    }
}
