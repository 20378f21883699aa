package io.cairn.server.wiring.lifecycle;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigView;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.cluster.ExternalChangePoller;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.mirror.Mirror;
import io.cairn.server.storage.writer.StoreWriter;
import org.jspecify.annotations.Nullable;

/** Starts and stops the mirror of an external database, and the follower of others' changes; no effect on the embedded database. */
public final class DatabaseLifecycle {

    private final @Nullable RemoteDatabase remote;
    private final JdbcConfigStore store;
    private final StoreWriter writer;
    private final ReadConnections readers;
    private final ConfigView view;
    private final @Nullable ExternalChangePoller foreign;

    public DatabaseLifecycle(
            @Nullable RemoteDatabase remote,
            JdbcConfigStore store,
            StoreWriter writer,
            ReadConnections readers,
            ConfigView view,
            @Nullable ExternalChangePoller foreign) {
        this.remote = remote;
        this.store = store;
        this.writer = writer;
        this.readers = readers;
        this.view = view;
        this.foreign = foreign;
    }

    boolean isRemote() {
        return remote != null;
    }

    /** Fills the view, and starts the writer. */
    void load() {
        if (remote != null && !remote.isPrepared()) {
            view.reload(remote.mirror()::forEachEntry);
            CairnException cause = remote.circuit().cause();
            writer.startAway(cause == null ? new CairnException(ErrorCode.UNAVAILABLE, "The database is away") : cause);
            return;
        }
        view.reload(store::forEachEntry);
        if (remote == null) {
            writer.applied().alone(JdbcConfigStore.revision(readers));
        }
        writer.start();
    }

    /** Starts the mirror, which follows the store from the state in memory. */
    void start() {
        if (remote != null && foreign != null) {
            remote.mirror().start(new Mirror.Primary(view, readers, remote.circuit()));
            foreign.start();
        }
    }

    void stop() {
        if (foreign != null) {
            foreign.close();
        }
        writer.close();
        if (remote != null) {
            remote.mirror().close();
        }
    }

    int configurations() {
        return view.size();
    }

    @Nullable
    String readsFailBecause() {
        CairnException cause = writer.circuit().cause();
        if (cause == null || remote == null || remote.mirror().isComplete()) {
            return null;
        }
        return cause.text();
    }
}
