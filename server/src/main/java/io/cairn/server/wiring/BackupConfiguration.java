package io.cairn.server.wiring;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.BackupStore;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v3.BackupEndpoints;
import io.cairn.server.storage.backup.JdbcBackupStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.wiring.lifecycle.StoredState;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.Version;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class BackupConfiguration {

    @Bean
    BackupStore backupStore(
            StoreWriter writer, ReadConnections readers, StoredState state, DatabaseConfiguration.SmallTables copied) {
        return new JdbcBackupStore(writer, readers, () -> {
            state.reload();
            copied.changed().run();
        });
    }

    @Bean
    BackupService backupService(
            BackupStore store,
            AuditStore audit,
            AccessPolicy policy,
            Accounts accounts,
            TransferConfiguration.TransferThread thread,
            Clock clock) {
        return new BackupService(
                store,
                audit,
                policy.isEnabled(),
                accounts::reload,
                Version.TEXT,
                thread.scratch("backup", "{backup,restore}-*.zip"),
                clock,
                thread.executor());
    }

    @Bean
    HttpRoutes backupRoutes(BackupService backups, ContainerErrors errors, Clock clock, WorkPools pools) {
        return HttpRoutes.of(new BackupEndpoints(backups, errors, clock, pools.files()).adminRoutes());
    }
}
