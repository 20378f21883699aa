package io.cairn.server.wiring;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.config.ConfigView;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.node.SecretStore;
import io.cairn.server.storage.Circuit;
import io.cairn.server.storage.Database;
import io.cairn.server.storage.ExternalChangePoller;
import io.cairn.server.storage.FollowedParts;
import io.cairn.server.storage.JdbcNodeTable;
import io.cairn.server.storage.JdbcSecretStore;
import io.cairn.server.storage.Mirror;
import io.cairn.server.storage.MySqlDatabase;
import io.cairn.server.storage.MySqlSettings;
import io.cairn.server.storage.ReadConnections;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.SqliteDatabase;
import io.cairn.server.storage.StoreWriter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds the database that the settings ask for. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    @Bean
    DatabaseSettings databaseSettings(Environment environment) {
        return DatabaseSettings.read(environment);
    }

    @Bean
    Circuit databaseCircuit(MeterRegistry meters) {
        Circuit circuit = new Circuit("The database");
        meters.gauge(MeterNames.STORE_AWAY, circuit, Circuit::secondsOpen);
        return circuit;
    }

    @Bean(destroyMethod = "close")
    Database database(
            DatabaseSettings settings, DataFolder folder, CairnProperties properties, Circuit circuit, Clock clock) {
        if (settings.mysql().isEmpty()) {
            return SqliteDatabase.open(folder.path());
        }
        MySqlSettings mysql = settings.mysql().get();
        String source = mysql.sources().stream().map(Object::toString).collect(Collectors.joining(" "));
        Mirror mirror = Mirror.open(folder.path().resolve("mirror"), source, clock);
        MySqlDatabase database = new MySqlDatabase(mysql);
        try {
            return RemoteDatabase.open(
                    database, circuit, mirror, properties.database().startTimeout());
        } catch (RuntimeException e) {
            mirror.close();
            database.close();
            throw e;
        }
    }

    /** Connections that find out what the database holds, also while it is taken for away. */
    record RecoveryReaders(ReadConnections connections) {}

    /** To be told when users, roles, tokens or namespaces have changed; does nothing for the embedded database. */
    record SmallTables(Runnable changed) {}

    @Bean
    SmallTables smallTables(Database database) {
        return new SmallTables(database instanceof RemoteDatabase remote ? remote.mirror()::tablesChanged : () -> {});
    }

    /** Reads the keys that nodes share again, because another node has changed them; blocks. */
    record SharedSecrets(Runnable changed) {}

    /** The parts that follow changes of other nodes. They are made after the database. */
    private record Followed(
            ObjectProvider<StoredNaming> naming,
            ObjectProvider<AccessLifecycle> access,
            SmallTables tables,
            ObjectProvider<SharedSecrets> sharedSecrets)
            implements FollowedParts {

        @Override
        public void registry() {
            naming.getObject().reload();
        }

        @Override
        public void services(Set<ServiceKey> services) {
            naming.getObject().reload(services);
        }

        @Override
        public void switches(Set<String> names) {
            naming.getObject().reloadSwitches(names);
        }

        @Override
        public void accounts() {
            tables.changed().run();
            access.getObject().reload();
        }

        @Override
        public void namespaces() {
            // They are read whenever one is needed; the mirror alone keeps them.
            tables.changed().run();
        }

        @Override
        public void secrets() {
            sharedSecrets.ifAvailable(each -> each.changed().run());
        }
    }

    /** How far this node shows what is stored. */
    @Bean
    RevisionFollower revisionFollower(StoreWriter writer) {
        return writer.applied();
    }

    @Bean
    SecretStore secretStore(StoreWriter writer, ReadConnections readers, Database database) {
        return new JdbcSecretStore(writer, readers, database::openBrief);
    }

    @Bean(destroyMethod = "close")
    JdbcNodeTable nodeTable(Database database, Circuit circuit) {
        return new JdbcNodeTable(database::openBrief, database.dialect(), circuit);
    }

    @Bean
    RecoveryReaders recoveryReaders(Database database, ReadConnections readers) {
        return new RecoveryReaders(database instanceof RemoteDatabase remote ? remote.recoveryReaders() : readers);
    }

    @Bean
    DatabaseLifecycle databaseLink(
            Database database,
            StoreWriter writer,
            ReadConnections readers,
            ConfigView view,
            CairnProperties properties,
            MeterRegistry meters,
            SmallTables tables,
            ObjectProvider<StoredNaming> naming,
            ObjectProvider<AccessLifecycle> access,
            ObjectProvider<SharedSecrets> secrets) {
        if (!(database instanceof RemoteDatabase remote)) {
            meters.gauge(MeterNames.MIRROR_BEHIND, 0);
            return new DatabaseLifecycle(null, writer, readers, view, null);
        }
        meters.gauge(MeterNames.MIRROR_BEHIND, remote.mirror(), Mirror::behind);
        CairnProperties.Database settings = properties.database();
        ExternalChangePoller foreign = new ExternalChangePoller(
                remote::openWriter,
                remote.dialect(),
                writer,
                view,
                new ExternalChangePoller.Settings(settings.heartbeat(), settings.compareInterval()),
                new Followed(naming, access, tables, secrets));
        return new DatabaseLifecycle(remote, writer, readers, view, foreign);
    }
}
