package io.cairn.server.naming.stored;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Stores the lasting part of the registry: services, persistent instances, overrides, switches. */
public interface NamingStore {

    /**
     * Stores all in one transaction, durably, with audit records of effective writes unless {@code by} is {@link Caller#SERVER}.
     *
     * @param by the ordering caller; {@link Caller#SERVER} without a request
     * @param committed called after the commit and before the stage completes, in commit order; must not block
     * @return fails, without a store, with {@code CairnException} {@code UNAVAILABLE} or {@code BUSY}
     */
    CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed);

    /**
     * As {@link #write}, with changes applied to the present stored values of all nodes. If one throws, all fail.
     *
     * @param committed receives the effective writes
     */
    CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed);

    /** Whether other nodes write to the store. */
    default boolean isShared() {
        return false;
    }

    /** Services precede their instances and overrides. Blocks. */
    void forEach(Consumer<NamingWrite> consumer);

    /** In the order of {@link #forEach(Consumer)}. Blocks. */
    void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer);

    /** Blocks. */
    void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer);
}
