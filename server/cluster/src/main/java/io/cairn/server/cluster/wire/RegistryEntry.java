package io.cairn.server.cluster.wire;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.MirroredPublication;

/** The latest state of a publication or check of a node, as a part of its stream. */
public sealed interface RegistryEntry {

    long sequence();

    ServiceKey service();

    /** A publisher's instances of a service, in place of its earlier ones. */
    record Published(long sequence, MirroredPublication publication) implements RegistryEntry {

        @Override
        public ServiceKey service() {
            return publication.service();
        }
    }

    record Gone(long sequence, String publisherId, ServiceKey service) implements RegistryEntry {}

    /**
     * The publication has ended here, because another node owns the client.
     *
     * @param to address of the new owner
     */
    record Moved(long sequence, String publisherId, ServiceKey service, String to) implements RegistryEntry {}

    record Checked(long sequence, ServiceKey service, InstanceKey instance, boolean healthy) implements RegistryEntry {}

    record Unchecked(long sequence, ServiceKey service, InstanceKey instance) implements RegistryEntry {}

    /**
     * A client has deregistered the instance.
     *
     * @param changedAt time on the clock of the group
     */
    record Forgotten(long sequence, ServiceKey service, InstanceKey instance, long changedAt)
            implements RegistryEntry {}
}
