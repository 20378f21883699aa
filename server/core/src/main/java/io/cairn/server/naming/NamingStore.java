package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** What of the registry outlives a restart by right: services, persistent instances, overrides, switches. */
public interface NamingStore {

    /**
     * Stores all of these or none, durably, with a record of each that changes something, unless the server does it out of
     * itself.
     *
     * @param by who ordered it; {@link Caller#SERVER} for nobody
     * @param committed called after the commit and before the stage completes, in the order of the commits; must not
     *     block
     * @return fails with {@code CairnException} {@code UNAVAILABLE} or {@code BUSY}; nothing is stored then
     */
    CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed);

    /**
     * As {@link #write}, with changes that are applied to what is stored at that moment, whichever node has stored it. A
     * change that throws fails the whole; nothing is stored then.
     *
     * @param committed called with what was written, which is nothing where a change made no difference
     */
    CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed);

    /** Whether other nodes write to it, so that it may hold more than what this node shows. */
    default boolean isShared() {
        return false;
    }

    /** Reads everything, services before what belongs to them. Blocks. */
    void forEach(Consumer<NamingWrite> consumer);

    /** Reads what is stored of these services, in the order of {@link #forEach(Consumer)}. Blocks. */
    void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer);

    /** Reads the switches of these names that are stored. Blocks. */
    void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer);
}
