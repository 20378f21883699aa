package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import org.jspecify.annotations.Nullable;

/** @param clusters comma-separated names in the client's form; empty for all */
public record Selection(ServiceKey service, String clusters) {

    // Written out for the reason given at ServiceKey.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof Selection selection
                        && clusters.equals(selection.clusters)
                        && service.equals(selection.service);
    }

    @Override
    public int hashCode() {
        return service.hashCode() * 31 + clusters.hashCode();
    }
}
