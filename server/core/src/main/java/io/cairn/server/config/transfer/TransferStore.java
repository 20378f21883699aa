package io.cairn.server.config.transfer;

import java.util.Collection;
import java.util.function.Consumer;

/** Reads whole configurations in bulk. Thread-safe. */
public interface TransferStore {

    /**
     * Passes the selected configurations to the consumer in the order of their ids, with a few megabytes in memory at a
     * time. A change that is made meanwhile may or may not be seen. Blocks.
     */
    void forEach(ConfigSelection selection, Consumer<WholeConfig> consumer);

    /** Passes the configurations with these ids to the consumer, of any namespace; unknown ids are skipped. Blocks. */
    void forEachOf(Collection<Long> ids, Consumer<WholeConfig> consumer);
}
