package io.cairn.server.config.transfer;

import java.util.Collection;
import java.util.function.Consumer;

/** Reads whole configurations in bulk. Thread-safe. */
public interface TransferStore {

    /**
     * Hands over the selected configurations one after the other, by their ids, a few megabytes in memory at a time.
     * What changes meanwhile is seen as it was or as it is. Blocks.
     */
    void forEach(ConfigSelection selection, Consumer<WholeConfig> consumer);

    /** Hands over the configurations of these ids, in whatever namespace; ids that are none are passed over. Blocks. */
    void forEachOf(Collection<Long> ids, Consumer<WholeConfig> consumer);
}
