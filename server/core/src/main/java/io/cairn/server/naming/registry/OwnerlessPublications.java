package io.cairn.server.naming.registry;

import io.cairn.api.naming.InstanceKey;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A service's publications without an owner: from before a restart, of a moved connection, or of a departed node. Their instances
 * end when an owner names them. Guarded by the lock of the service.
 */
final class OwnerlessPublications {

    private final Object lock;
    private final End end;
    private final ServicePublications shown;
    private final List<Publication> remembered = new ArrayList<>(0);
    /** Null when unneeded. */
    private @Nullable InstanceOwners owners;

    /** Is notified of a publication that has lost its last instance. */
    @FunctionalInterface
    interface End {

        /** @param by the publisher that has published that instance; null when its client has deregistered it */
        void ended(Publication publication, @Nullable Publisher by);
    }

    /**
     * @param lock that of the service
     * @param shown all publications of the service, these among them
     */
    OwnerlessPublications(Object lock, ServicePublications shown, End end) {
        this.lock = lock;
        this.end = end;
        this.shown = shown;
    }

    boolean isEmpty() {
        return remembered.isEmpty();
    }

    void add(Publication publication) {
        remembered.add(publication);
    }

    void replace(@Nullable Publication before, Publication publication) {
        remembered.remove(before);
        remembered.add(publication);
    }

    /** A publication, with or without an owner, is no longer shown. */
    void withdrawn(Publication publication) {
        if (publication.isOwned()) {
            notOwner(publication);
        } else {
            remembered.remove(publication);
        }
    }

    /** The changing publication no longer owns its instances. */
    void notOwner(Publication publication) {
        if (owners != null) {
            owners.remove(publication);
        }
    }

    /** All owners are known until the last publication without an owner ends. */
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

    /** Called when an owner has published; returns the number of ended instances. */
    int published(Publication publication) {
        if (owners != null) {
            owners.add(publication);
        }
        if (remembered.isEmpty()) {
            return 0;
        }
        // An instance registered by its own publisher need not be remembered.
        Set<InstanceKey> keys = new HashSet<>(publication.size() * 2);
        InstanceOwners.forEachKey(publication, keys::add);
        return forget(keys::contains, publication.publishedAt(), publication.publisher());
    }

    /** Ends instances of owners with the same or a later time; returns one such owner. */
    @Nullable
    Publication endSuperseded(Publication publication) {
        InstanceOwners index = owners;
        if (index == null) {
            return null;
        }
        Publication owner = null;
        List<RegisteredInstance> left = new ArrayList<>(publication.size());
        for (RegisteredInstance each : publication.registered()) {
            Publication other = index.since(each.published().key(), publication.publishedAt());
            if (other == null) {
                left.add(each);
            } else {
                owner = other;
            }
        }
        if (owner != null) {
            publication.replace(lock, left.toArray(new RegisteredInstance[0]));
        }
        return owner;
    }

    /**
     * Ends instances of owners; returns their number.
     *
     * @param latest later ones stay
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
     * Returns the number of removed instances. An emptied publication loses its publisher.
     *
     * @param latest later publications stay
     * @param by the new publisher; null after a deregistration
     */
    int forget(Predicate<InstanceKey> isBack, long latest, @Nullable Publisher by) {
        int forgotten = 0;
        for (Iterator<Publication> all = remembered.iterator(); all.hasNext(); ) {
            Publication publication = all.next();
            if (publication.publishedAt() > latest || !names(publication, isBack)) {
                continue;
            }
            List<RegisteredInstance> left = new ArrayList<>(publication.size());
            for (RegisteredInstance each : publication.registered()) {
                if (!isBack.test(each.published().key())) {
                    left.add(each);
                }
            }
            forgotten += publication.size() - left.size();
            publication.replace(lock, left.toArray(new RegisteredInstance[0]));
            if (left.isEmpty()) {
                all.remove();
                shown.drop(publication);
                end.ended(publication, by);
            }
        }
        forgetOwners();
        return forgotten;
    }

    private static boolean names(Publication publication, Predicate<InstanceKey> isWanted) {
        for (RegisteredInstance each : publication.registered()) {
            if (isWanted.test(each.published().key())) {
                return true;
            }
        }
        return false;
    }
}
