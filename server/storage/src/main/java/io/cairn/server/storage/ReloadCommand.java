package io.cairn.server.storage;

/**
 * Has a part of this node read again what is stored, on the writer's thread: nothing that this node commits falls between
 * the reading and the showing. The part reads through connections of its own.
 */
final class ReloadCommand implements StoreCommand<Boolean> {

    private final Runnable reload;

    /** @param reload blocks while it reads; may run again after a failure */
    ReloadCommand(Runnable reload) {
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
        // The part has announced what differed.
    }

    @Override
    public int weightBytes() {
        return 256;
    }
}
