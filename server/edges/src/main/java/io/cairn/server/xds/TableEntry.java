package io.cairn.server.xds;

/**
 * A resource in the table of a view.
 *
 * @param created the revision that brought the name
 * @param revision the revision that brought this content
 */
record TableEntry(ViewResources.Found found, long created, long revision) {

    Resource resource() {
        return found.resource();
    }
}
