package io.cairn.server.naming;

import io.cairn.server.auth.Caller;
import java.util.List;
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

    /** Reads everything, services before what belongs to them. Blocks. */
    void forEach(Consumer<NamingWrite> consumer);
}
