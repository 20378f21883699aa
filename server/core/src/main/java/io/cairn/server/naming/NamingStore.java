package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Stores the part of the registry that survives a restart: services, persistent instances, overrides, switches. */
public interface NamingStore {

    /**
     * Stores all of these or none, durably. Each write that changes something gets an audit record, unless the caller
     * is {@link Caller#SERVER}.
     *
     * @param by the caller that ordered it; {@link Caller#SERVER} if no request did
     * @param committed called after the commit and before the stage completes, in the order of the commits; must not
     *     block
     * @return fails with {@code CairnException} {@code UNAVAILABLE} or {@code BUSY}; nothing is stored then
     */
    CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed);

    /**
     * As {@link #write}, with changes that are applied to the values that are stored at that moment, also those of
     * other nodes. If one change throws, all fail and nothing is stored.
     *
     * @param committed called with the writes that were made; a change without an effect makes none
     */
    CompletionStage<Void> change(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed);

    /** Whether other nodes write to the store, so that it may contain more than this node shows. */
    default boolean isShared() {
        return false;
    }

    /** Reads everything; each service comes before its instances and overrides. Blocks. */
    void forEach(Consumer<NamingWrite> consumer);

    /** Reads the rows of these services, in the order of {@link #forEach(Consumer)}. Blocks. */
    void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer);

    /** Reads the stored switches with these names. Blocks. */
    void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer);
}
