package io.cairn.server.cluster.replication;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.MirroredPublication;
import org.jspecify.annotations.Nullable;

abstract class PublicationKey {

    abstract String publisherId();

    abstract ServiceKey service();

    static PublicationKey of(String publisherId, ServiceKey service) {
        return new Named(publisherId, service);
    }

    static PublicationKey of(MirroredPublication publication) {
        return of(publication.publisher().id(), publication.service());
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof PublicationKey that
                && publisherId().equals(that.publisherId())
                && service().equals(that.service());
    }

    @Override
    public final int hashCode() {
        return publisherId().hashCode() * 31 + service().hashCode();
    }

    private static final class Named extends PublicationKey {

        private final String publisherId;
        private final ServiceKey service;

        Named(String publisherId, ServiceKey service) {
            this.publisherId = publisherId;
            this.service = service;
        }

        @Override
        String publisherId() {
            return publisherId;
        }

        @Override
        ServiceKey service() {
            return service;
        }
    }
}
