package io.cairn.server.naming.registry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The publications of a service, of this and other nodes. Guarded by the lock of the service. */
final class ServicePublications {

    private final Object lock;
    private final Map<Publisher, Publication> own = new LinkedHashMap<>(4);
    /** Of other nodes; a list takes a tenth of the memory. */
    private final List<Publication> mirrored = new ArrayList<>(0);

    /** @param lock that of the service */
    ServicePublications(Object lock) {
        this.lock = lock;
    }

    /** Or null. */
    @Nullable
    Publication of(Publisher publisher) {
        return own.get(publisher);
    }

    /** In place of the publisher's former one. */
    void put(Publication publication) {
        own.put(publication.publisher(), publication);
    }

    /** Of another node, in place of the former one. */
    void list(Publication publication, @Nullable Publication before) {
        if (before == null) {
            mirrored.add(publication);
        } else {
            mirrored.set(mirrored.indexOf(before), publication);
            before.listed(lock, false);
        }
        publication.listed(lock, true);
    }

    /** False if absent. */
    boolean drop(Publication publication) {
        if (publication.publisher().isOwn()) {
            return own.remove(publication.publisher(), publication);
        }
        publication.listed(lock, false);
        return mirrored.remove(publication);
    }

    @SuppressWarnings("ReferenceEquality") // This publication, not one like it
    boolean contains(Publication publication) {
        return publication.publisher().isOwn()
                ? own.get(publication.publisher()) == publication
                : publication.isListed();
    }

    int count() {
        return own.size() + mirrored.size();
    }

    /** This node's last: of two with one time the last counts, and an adopted one is newer than its source. */
    Collection<Publication> all() {
        if (mirrored.isEmpty()) {
            return own.values();
        }
        List<Publication> all = new ArrayList<>(count());
        all.addAll(mirrored);
        all.addAll(own.values());
        return all;
    }

    List<Publication> own() {
        return new ArrayList<>(own.values());
    }
}
