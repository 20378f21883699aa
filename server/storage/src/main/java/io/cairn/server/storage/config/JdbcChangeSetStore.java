package io.cairn.server.storage.config;

import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.storage.writer.StoreWriter;
import java.util.concurrent.CompletionStage;

public final class JdbcChangeSetStore implements ChangeSetStore {

    private final StoreWriter writer;
    private final CapacityCheck capacity;
    private final ConfigStore.CommitObserver observer;

    public JdbcChangeSetStore(StoreWriter writer, CapacityCheck capacity, ConfigStore.CommitObserver observer) {
        this.writer = writer;
        this.capacity = capacity;
        this.observer = observer;
    }

    @Override
    public CompletionStage<ChangeSetResult> apply(ChangeSet changes) {
        return writer.submit(new ChangeSetCommand(changes, capacity, observer));
    }
}
