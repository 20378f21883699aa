package io.cairn.server.wiring;

import io.cairn.server.change.CommitFence;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.config.ConfigView;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.node.SecretStore;
import io.cairn.server.storage.Circuit;
import io.cairn.server.storage.Database;
import io.cairn.server.storage.ExternalChangePoller;
import io.cairn.server.storage.FollowedParts;
import io.cairn.server.storage.JdbcConfigStore;
import io.cairn.server.storage.JdbcNodeTable;
import io.cairn.server.storage.JdbcSecretStore;
import io.cairn.server.storage.Mirror;
import io.cairn.server.storage.MySqlDatabase;
import io.cairn.server.storage.MySqlSettings;
import io.cairn.server.storage.ReadConnections;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.SqliteDatabase;
import io.cairn.server.storage.StoreMeters;
import io.cairn.server.storage.StoreWriter;
import io.cairn.server.storage.WriteAvailability;
import io.cairn.server.wiring.lifecycle.AccessLifecycle;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.DatabaseLifecycle;
import io.cairn.server.wiring.lifecycle.FollowedFeatures;
import io.cairn.server.wiring.lifecycle.StoredState;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.DatabaseSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.stream.Collectors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds the database that the settings ask for, its writer, and what follows the changes of other nodes. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    /** How long a read waits for the revision that it asks for. */
    private static final Duration MIN_REVISION_WITHIN = Duration.ofSeconds(1);

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
            DatabaseSettings settings,
            DataFolder folder,
            CairnProperties properties,
            Circuit circuit,
            Clock clock,
            MeterRegistry meters) {
        if (settings.mysql().isEmpty()) {
            meters.gauge(MeterNames.MIRROR_BEHIND, 0);
            return SqliteDatabase.open(folder.path());
        }
        MySqlSettings mysql = settings.mysql().get();
        String source = mysql.sources().stream().map(Object::toString).collect(Collectors.joining(" "));
        Mirror mirror = Mirror.open(folder.path().resolve("mirror"), source, clock);
        meters.gauge(MeterNames.MIRROR_BEHIND, mirror, Mirror::behind);
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
    StoredState storedState(ConfigView view, RecoveryReaders recovery) {
        StoredState state = new StoredState();
        state.follow(() -> view.reload(consumer -> JdbcConfigStore.forEachEntry(recovery.connections(), consumer)));
        return state;
    }

    @Bean
    StoreWriter storeWriter(
            Database database,
            CairnProperties properties,
            Clock clock,
            MeterRegistry meters,
            Circuit circuit,
            StoredState state,
            CommitFence fence) {
        CairnProperties.Store store = properties.store();
        StoreWriter writer = new StoreWriter(
                "cairn-store-writer",
                circuit,
                database::openWriter,
                database.dialect(),
                clock,
                new StoreWriter.Limits(
                        store.queueWrites(),
                        store.queueBytes().toBytes() > 0
                                ? store.queueBytes().toBytes()
                                : Runtime.getRuntime().maxMemory() / 8,
                        store.batchWrites(),
                        store.batchBytes().toBytes(),
                        store.answerWithin()),
                new StoreMeters(meters),
                state::reload,
                fence);
        meters.gauge(MeterNames.STORE_UNWRITABLE, writer.availability(), WriteAvailability::secondsRefused);
        meters.gauge(MeterNames.STORE_QUEUE, writer, StoreWriter::queuedCommands);
        return writer;
    }

    @Bean(destroyMethod = "close")
    ReadConnections readConnections(Database database) {
        return database.readers();
    }

    @Bean
    RevisionGate revisionGate(RevisionFollower follower, Timer timer) {
        return new RevisionGate(follower, timer, MIN_REVISION_WITHIN);
    }

    @Bean
    FollowedParts followedParts(
            StoredNaming naming, AccessLifecycle access, SmallTables tables, SharedSecrets secrets) {
        return new FollowedFeatures(naming, access, tables.changed(), secrets.changed());
    }

    @Bean
    DatabaseLifecycle databaseLifecycle(
            Database database,
            JdbcConfigStore store,
            StoreWriter writer,
            ReadConnections readers,
            ConfigView view,
            FollowedParts followed,
            CairnProperties properties) {
        if (!(database instanceof RemoteDatabase remote)) {
            return new DatabaseLifecycle(null, store, writer, readers, view, null);
        }
        CairnProperties.Database settings = properties.database();
        ExternalChangePoller foreign = new ExternalChangePoller(
                remote::openWriter,
                remote.dialect(),
                writer,
                view,
                new ExternalChangePoller.Settings(settings.heartbeat(), settings.compareInterval()),
                followed);
        return new DatabaseLifecycle(remote, store, writer, readers, view, foreign);
    }
}
