package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.BackupStore;
import io.cairn.server.config.ConfigView;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v3.BackupEndpoints;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.storage.JdbcBackupStore;
import io.cairn.server.storage.JdbcConfigStore;
import io.cairn.server.storage.ReadConnections;
import io.cairn.server.storage.StoreWriter;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds what makes archives of everything, and restores them. */
@Configuration(proxyBeanMethods = false)
class BackupConfiguration {

    @Bean
    BackupStore backupStore(
            StoreWriter writer,
            ReadConnections readers,
            DatabaseConfiguration.RecoveryReaders recovery,
            ConfigView view,
            DatabaseConfiguration.SmallTables copied,
            ObjectProvider<StoredNaming> naming) {
        return new JdbcBackupStore(writer, readers, () -> {
            view.reload(consumer -> JdbcConfigStore.forEachEntry(recovery.connections(), consumer));
            naming.getObject().reload();
            copied.changed().run();
        });
    }

    @Bean
    BackupService backupService(
            BackupStore store,
            AuditStore audit,
            AccessPolicy policy,
            Accounts accounts,
            DataFolder folder,
            TransferConfiguration.TransferThread thread,
            Clock clock) {
        return new BackupService(
                store,
                audit,
                policy.isEnabled(),
                accounts::reload,
                Version.TEXT,
                scratch(folder.path()),
                clock,
                thread.executor());
    }

    @Bean
    HttpRoutes backupRoutes(BackupService backups, ContainerErrors errors, Clock clock, WorkPools pools) {
        return HttpRoutes.of(new BackupEndpoints(backups, errors, clock, pools.files()).adminRoutes());
    }

    /** Nobody waits any more for what an earlier run has left there. */
    private static Path scratch(Path data) {
        Path folder = data.resolve("backup");
        try {
            Files.createDirectories(folder);
            try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, "{backup,restore}-*.zip")) {
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
}
