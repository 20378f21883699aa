package io.cairn.server.naming.stored;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.ServiceSettings;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A change of a service's stored data. May be applied repeatedly; must not block. */
public sealed interface NamingChange {

    ServiceKey service();

    /** Stores a new service: another node may have just created it. */
    record CreateService(ServiceKey service, ServiceSettings settings) implements NamingChange {

        /** @throws NamingException {@code SERVICE_EXISTS} if it is stored */
        public NamingWrite from(boolean isStored) {
            if (isStored) {
                throw NamingException.serviceExists(service);
            }
            return new NamingWrite.SaveService(service, settings);
        }
    }

    /** @param unstored settings in place of stored ones; null to require these */
    record ChangeService(ServiceKey service, @Nullable ServiceSettings unstored, UnaryOperator<ServiceSettings> change)
            implements NamingChange {

        /** @throws NamingException {@code SERVICE_ABSENT} without required settings */
        public NamingWrite from(@Nullable ServiceSettings stored) {
            ServiceSettings before = stored == null ? unstored : stored;
            if (before == null) {
                throw NamingException.serviceAbsent(service);
            }
            return new NamingWrite.SaveService(service, change.apply(before));
        }
    }

    /**
     * Removes a service without persistent instances, with settings and overrides.
     *
     * @param mustBeStored whether this node knows it as stored; else another node may have removed it
     */
    record RemoveService(ServiceKey service, boolean mustBeStored) implements NamingChange {

        /** @throws NamingException {@code SERVICE_ABSENT} or {@code SERVICE_NOT_EMPTY} */
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
     * Removes a leftover service.
     *
     * @param known its settings here
     */
    record ExpireService(ServiceKey service, ServiceSettings known) implements NamingChange {

        /**
         * Null if another node has stored other settings, an instance or override, or removed it.
         *
         * @param isUsed whether persistent instances or overrides are stored
         */
        public @Nullable NamingWrite from(@Nullable ServiceSettings stored, boolean isUsed) {
            return isUsed || !known.equals(stored) ? null : new NamingWrite.RemoveService(service);
        }
    }

    record ChangeOverride(ServiceKey service, InstanceKey instance, UnaryOperator<InstanceOverride> change)
            implements NamingChange {}

    /** Also for an equal row: the registry may show another state. */
    record ChangeInstance(ServiceKey service, InstanceKey instance, UnaryOperator<Instance> change)
            implements NamingChange {}
}
