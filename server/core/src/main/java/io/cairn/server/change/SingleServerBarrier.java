package io.cairn.server.change;

import org.jspecify.annotations.Nullable;

enum SingleServerBarrier implements VisibilityBarrier {
    INSTANCE;

    @Override
    public void committed(long lastRevision, Runnable completion) {
        completion.run();
    }

    @Override
    public @Nullable Visibility visibility(long revision) {
        return null;
    }
}
