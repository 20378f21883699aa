package io.cairn.server.xds.view;

import io.cairn.server.xds.resource.Resource;
import io.cairn.server.xds.resource.ViewResources;

/**
 * A resource in a view's table.
 *
 * @param created the revision of the name
 * @param revision of this content
 * @param beyondSince the revision that moved it beyond the limit; {@link #NOTHING} within
 */
public record TableEntry(ViewResources.Found found, long created, long revision, long beyondSince) {

    /** The revision of a stream that has nothing, and of a change that was not made. */
    public static final long NOTHING = -1;

    public TableEntry(ViewResources.Found found, long created, long revision) {
        this(found, created, revision, NOTHING);
    }

    public Resource resource() {
        return found.resource();
    }

    public boolean isBeyond() {
        return beyondSince != NOTHING;
    }

    /** Whether it is part of the wildcard subscription. */
    public boolean isForAll() {
        return found.listed() && !isBeyond();
    }

    /** Whether it was part of the wildcard subscription at that revision. */
    public boolean wasForAllAt(long then) {
        return found.listed() && created <= then && (!isBeyond() || beyondSince > then);
    }

    TableEntry movedBeyond(long since) {
        return new TableEntry(found, created, revision, since);
    }

    /** Clients without it get it with that revision. */
    TableEntry movedWithin(long with) {
        return new TableEntry(found, created, with);
    }
}
