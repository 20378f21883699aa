package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.transfer.ConfigTransfer;
import io.cairn.server.config.transfer.CurrentConfig;
import io.cairn.server.config.transfer.ExistingConfigs;
import io.cairn.server.config.validation.ContentChecks;
import io.cairn.server.config.validation.LateValidation;
import io.cairn.server.http.config.TransferActions;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.storage.config.CapacityCheck;
import io.cairn.server.storage.config.JdbcChangeSetStore;
import io.cairn.server.storage.config.JdbcTransferStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.FileTrouble;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class TransferConfiguration {

    private static final int TRANSFERS_WAITING = 16;

    /**
     * The one thread of all transfers, which are long and must leave the database to others, with their scratch folders.
     *
     * @param data the data folder
     */
    record TransferThread(ThreadPoolExecutor executor, Path data) implements AutoCloseable {

        /** An empty folder for one kind of transfers. Removes files of an earlier run. */
        Path scratch(String name, String files) {
            Path folder = data.resolve(name);
            try {
                Files.createDirectories(folder);
                try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, files)) {
                    for (Path file : left) {
                        Files.delete(file);
                    }
                }
                return folder;
            } catch (IOException e) {
                throw new CairnException(
                        ErrorCode.UNAVAILABLE, "Folder " + folder + " cannot be used: " + FileTrouble.of(e), e);
            }
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }

    @Bean(destroyMethod = "close")
    TransferThread transferThread(DataFolder folder) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1,
                1,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(TRANSFERS_WAITING),
                new DefaultThreadFactory("cairn-transfer", true));
        executor.allowCoreThreadTimeOut(true);
        return new TransferThread(executor, folder.path());
    }

    @Bean
    ChangeSetStore changeSetStore(StoreWriter writer, CapacityCheck capacity, ConfigView view) {
        return new JdbcChangeSetStore(writer, capacity, view);
    }

    @Bean
    ExistingConfigs existingConfigs(ConfigService configs, ConfigStore store, NamespaceService namespaces) {
        return new StoredConfigs(configs, store, namespaces);
    }

    @Bean
    ConfigTransfer configTransfer(
            ReadConnections readers,
            ChangeSetStore changes,
            ConfigLimits limits,
            ExistingConfigs existing,
            ContentChecks checks,
            LateValidation late,
            TransferThread thread) {
        return new ConfigTransfer(
                new JdbcTransferStore(readers),
                changes,
                limits,
                existing,
                checks,
                late,
                thread.scratch("transfer", "{export,import}-*.zip"),
                thread.executor());
    }

    @Bean
    TransferActions transferActions(ConfigTransfer transfer, WorkPools pools, Clock clock) {
        return new TransferActions(transfer, pools.files(), clock);
    }

    private record StoredConfigs(ConfigService configs, ConfigStore store, NamespaceService namespaces)
            implements ExistingConfigs {

        @Override
        public CurrentConfig current(ConfigKey key) {
            ConfigEntry entry = configs.find(key);
            return entry == null
                    ? new CurrentConfig(Optional.empty(), () -> "")
                    : new CurrentConfig(Optional.of(entry.digest()), () -> store.load(entry)
                            .map(version -> new String(version.utf8(), StandardCharsets.UTF_8))
                            .orElse(""));
        }

        @Override
        public boolean exists(Namespace namespace) {
            return namespaces.exists(namespace).toCompletableFuture().join();
        }
    }
}
