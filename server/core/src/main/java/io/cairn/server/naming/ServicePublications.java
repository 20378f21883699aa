package io.cairn.server.naming;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The publications that a service shows: those of this node, and those of other nodes. Used with the lock of the service held. */
final class ServicePublications {

    private final ServiceEntry service;
    private final Map<Publisher, Publication> own = new LinkedHashMap<>(4);
    /** Those of other nodes, in a list because that takes a tenth of the memory. */
    private final List<Publication> mirrored = new ArrayList<>(0);

    ServicePublications(ServiceEntry service) {
        this.service = service;
    }

    /** The publication of a publisher of this node; null for nothing. */
    @Nullable
    Publication of(Publisher publisher) {
        return own.get(publisher);
    }

    /** Adds a publication of this node, in place of the one that its publisher had before. */
    void put(Publication publication) {
        own.put(publication.publisher(), publication);
    }

    /** Adds a publication of another node, in place of the one before. */
    void list(Publication publication, @Nullable Publication before) {
        if (before == null) {
            mirrored.add(publication);
        } else {
            mirrored.set(mirrored.indexOf(before), publication);
            before.listed(service, false);
        }
        publication.listed(service, true);
    }

    /** Removes the publication; false when it is not among them. */
    boolean drop(Publication publication) {
        if (publication.publisher().isOwn()) {
            return own.remove(publication.publisher(), publication);
        }
        publication.listed(service, false);
        return mirrored.remove(publication);
    }

    @SuppressWarnings("ReferenceEquality") // this publication, not one like it
    boolean contains(Publication publication) {
        return publication.publisher().isOwn()
                ? own.get(publication.publisher()) == publication
                : publication.isListed();
    }

    int count() {
        return own.size() + mirrored.size();
    }

    /**
     * All of them. Those of this node are last: of two from the same time the last one counts, and one that this node has adopted is
     * newer than the one that it was adopted from.
     */
    Collection<Publication> all() {
        if (mirrored.isEmpty()) {
            return own.values();
        }
        List<Publication> all = new ArrayList<>(count());
        all.addAll(mirrored);
        all.addAll(own.values());
        return all;
    }

    /** Those of this node. */
    List<Publication> own() {
        return new ArrayList<>(own.values());
    }
}
