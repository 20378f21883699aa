package io.cairn.server.config.transfer;

import java.util.Collection;
import java.util.function.Consumer;

/** Reads whole configurations in bulk. */
public interface TransferStore {

    /** By id, with a few megabytes in memory. Concurrent changes may or may not be seen. Blocks. */
    void forEach(ConfigSelection selection, Consumer<WholeConfig> consumer);

    /** Of any namespace; unknown ids are skipped. Blocks. */
    void forEachOf(Collection<Long> ids, Consumer<WholeConfig> consumer);
}
