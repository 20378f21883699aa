package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/** The services of one server. Thread-safe; all methods block and throw {@link SideException}. */
public interface ServiceStore {

    void list(Namespace namespace, Consumer<ServiceState> each);

    ServiceState read(ServiceKey key);

    Map<InstanceKey, Integer> publishers(ServiceKey key);

    void saveSettings(ServiceKey key, ServiceSettings settings, boolean exists);

    /** Replaces the ephemeral instances of this bridge. */
    void mirror(ServiceKey key, List<Instance> instances);

    void registerPersistent(ServiceKey key, Instance instance);

    void deregisterPersistent(ServiceKey key, Instance instance);

    void watch(ServiceKey key, Consumer<ServiceKey> changed);

    /** Withdraws ephemeral copies of the server {@code from} that outlived an earlier process of the bridge. */
    default void withdrawLeft(Namespace namespace, String from) {}

    /**
     * Keeps copies of the server {@code from} that an earlier process has left, until they are mirrored.
     *
     * @param isPersistent names copies that stay by themselves
     * @return the copies as registered
     */
    Map<ServiceKey, List<Instance>> keepLeft(
            Namespace namespace, String from, BiPredicate<ServiceKey, InstanceKey> isPersistent);

    /** Whether an operator can remove the mark of origin from a copy. */
    default boolean mayLoseMarks() {
        return true;
    }

    /** Increases with each connection that replaces an earlier one; the server may have restarted in between. */
    long reconnections();

    /** Whether a connection has ended without another in its place; the server may be starting. */
    default boolean hasLostConnection() {
        return false;
    }
}
