package io.cairn.server.storage.config;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.SQLException;

final class PublishConfigCommand implements StoreCommand<PublishResult> {

    private final PublishConfig command;
    private final CapacityCheck capacity;
    private final ConfigStore.CommitObserver observer;
    private long committedAtMillis;

    PublishConfigCommand(PublishConfig command, CapacityCheck capacity, ConfigStore.CommitObserver observer) {
        this.command = command;
        this.capacity = capacity;
        this.observer = observer;
    }

    @Override
    public void expect(WriteTransaction transaction) {
        PublishBatch.of(transaction).expect(command, capacity);
    }

    @Override
    public PublishResult execute(WriteTransaction transaction) throws SQLException {
        committedAtMillis = transaction.storedMillis();
        return PublishBatch.of(transaction).publish(command, capacity);
    }

    @Override
    public void committed(PublishResult result) {
        if (result instanceof PublishResult.Published published) {
            ConfigChanged change = published.change();
            ConfigEntry entry = new ConfigEntry(
                    command.key(),
                    command.digest(),
                    command.attributes().type(),
                    committedAtMillis,
                    command.attributes().encryptedDataKey(),
                    null);
            observer.published(command, entry, change);
        }
    }

    @Override
    public void announce(PublishResult result) {
        if (result instanceof PublishResult.Published published) {
            observer.announce(published.change());
        }
    }

    @Override
    public int weightBytes() {
        return 512 + command.utf8().length;
    }
}
