package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A change of the stored data of a service. It may be applied more than once, and must not block. */
public sealed interface NamingChange {

    /** The service that it is about. */
    ServiceKey service();

    /** Stores a service that must not be stored yet: another node may have created it a moment ago. */
    record CreateService(ServiceKey service, ServiceSettings settings) implements NamingChange {

        /**
         * @param isStored whether it is stored now
         * @throws NamingException {@code SERVICE_EXISTS} if it is
         */
        public NamingWrite from(boolean isStored) {
            if (isStored) {
                throw NamingException.serviceExists(service);
            }
            return new NamingWrite.SaveService(service, settings);
        }
    }

    /**
     * Changes the settings of a service.
     *
     * @param unstored the settings where none are stored; null when they must be stored
     */
    record ChangeService(ServiceKey service, @Nullable ServiceSettings unstored, UnaryOperator<ServiceSettings> change)
            implements NamingChange {

        /**
         * @param stored the settings that are stored now; null for none
         * @throws NamingException {@code SERVICE_ABSENT} if there are none, and must be
         */
        public NamingWrite from(@Nullable ServiceSettings stored) {
            ServiceSettings before = stored == null ? unstored : stored;
            if (before == null) {
                throw NamingException.serviceAbsent(service);
            }
            return new NamingWrite.SaveService(service, change.apply(before));
        }
    }

    /**
     * Removes a service without persistent instances, and its settings and overrides.
     *
     * @param mustBeStored whether this node knows it as stored; if it is not stored, another node has removed it
     */
    record RemoveService(ServiceKey service, boolean mustBeStored) implements NamingChange {

        /**
         * @param isStored whether it is stored now
         * @param hasInstances whether persistent instances of it are stored now
         * @throws NamingException {@code SERVICE_ABSENT} or {@code SERVICE_NOT_EMPTY}
         */
        public NamingWrite from(boolean isStored, boolean hasInstances) {
            if (hasInstances) {
                throw NamingException.serviceNotEmpty(service);
            }
            if (mustBeStored && !isStored) {
                throw NamingException.serviceAbsent(service);
            }
            return new NamingWrite.RemoveService(service);
        }
    }

    /**
     * Removes a service of which nothing is left.
     *
     * @param known its settings, as far as this node knows
     */
    record ExpireService(ServiceKey service, ServiceSettings known) implements NamingChange {

        /**
         * Null where another node has stored other settings, an instance or an override meanwhile, or has removed the service.
         *
         * @param stored the settings that are stored now; null for none
         * @param isUsed whether persistent instances or overrides of it are stored now
         */
        public @Nullable NamingWrite from(@Nullable ServiceSettings stored, boolean isUsed) {
            return isUsed || !known.equals(stored) ? null : new NamingWrite.RemoveService(service);
        }
    }

    /** Changes the override of an instance. */
    record ChangeOverride(ServiceKey service, InstanceKey instance, UnaryOperator<InstanceOverride> change)
            implements NamingChange {}

    /** Changes a stored persistent instance, also if its row stays the same: the registry may show another state. */
    record ChangeInstance(ServiceKey service, InstanceKey instance, UnaryOperator<Instance> change)
            implements NamingChange {}
}
