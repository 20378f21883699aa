package io.cairn.server.cluster.wire;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.MirroredPublication;

/** The latest state of one thing that a node owns, as a part of its stream. */
public sealed interface RegistryEntry {

    /** The number of the owner's change that has made it so. */
    long sequence();

    ServiceKey service();

    /** A publisher has published instances of a service, in place of those that it published before. */
    record Published(long sequence, MirroredPublication publication) implements RegistryEntry {

        @Override
        public ServiceKey service() {
            return publication.service();
        }
    }

    /** The publication has ended. */
    record Gone(long sequence, String publisherId, ServiceKey service) implements RegistryEntry {}

    /**
     * The publication has ended at this owner, because another node owns the client now.
     *
     * @param to address of the new owner
     */
    record Moved(long sequence, String publisherId, ServiceKey service, String to) implements RegistryEntry {}

    /** The owner checks the persistent instance, and has found it so. */
    record Checked(long sequence, ServiceKey service, InstanceKey instance, boolean healthy) implements RegistryEntry {}

    /** The owner no longer checks the persistent instance. */
    record Unchecked(long sequence, ServiceKey service, InstanceKey instance) implements RegistryEntry {}

    /**
     * A client has deregistered the instance.
     *
     * @param changedAt the time of that on the clock of the group
     */
    record Forgotten(long sequence, ServiceKey service, InstanceKey instance, long changedAt)
            implements RegistryEntry {}
}
