package io.cairn.server.storage.cluster;

import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;

/**
 * Makes a part read the stored state on the writer's thread, so no commit of this node falls between read and show. The part has
 * its own connections.
 */
public final class ReloadCommand implements StoreCommand<Boolean> {

    private final Runnable reload;

    /** @param reload blocks; may run again after a failure */
    public ReloadCommand(Runnable reload) {
        this.reload = reload;
    }

    @Override
    public boolean readsOnly() {
        return true;
    }

    @Override
    public Boolean execute(WriteTransaction transaction) {
        reload.run();
        return true;
    }

    @Override
    public void committed(Boolean result) {
        // It is shown already.
    }

    @Override
    public void announce(Boolean result) {
        // The part has announced the differences.
    }

    @Override
    public int weightBytes() {
        return 256;
    }
}
