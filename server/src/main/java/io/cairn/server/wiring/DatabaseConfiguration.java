package io.cairn.server.wiring;

import io.cairn.server.change.CatchUp;
import io.cairn.server.change.Following;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.config.ConfigView;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.node.SecretStore;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.access.JdbcSecretStore;
import io.cairn.server.storage.cluster.ExternalChangePoller;
import io.cairn.server.storage.cluster.FollowedParts;
import io.cairn.server.storage.cluster.JdbcNodeTable;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.mirror.Mirror;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.storage.sqlite.SqliteDatabase;
import io.cairn.server.storage.writer.StoreMeters;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.storage.writer.WriteAvailability;
import io.cairn.server.wiring.lifecycle.AccessLifecycle;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.DatabaseLifecycle;
import io.cairn.server.wiring.lifecycle.FollowedFeatures;
import io.cairn.server.wiring.lifecycle.StoredState;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.DatabaseSettings;
import io.cairn.server.wiring.settings.InternalTimings;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.stream.Collectors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds the configured database, its writer, and the follower of other nodes' changes. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    private static final Duration MIN_REVISION_WITHIN = Duration.ofSeconds(1);

    /** A node without a check of the store for this time after a due heartbeat was paused, or is hindered. */
    private static final Duration LATE = Duration.ofSeconds(2);

    /** The usual time until a commit of another node is visible here; zero where its caller is answered before. */
    record VisibleWithin(Duration time) {}

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
        if (settings.server().isEmpty()) {
            meters.gauge(MeterNames.MIRROR_BEHIND, 0);
            return SqliteDatabase.open(folder.path());
        }
        DatabaseSettings.Server server = settings.server().get();
        String source =
                server.settings().sources().stream().map(Object::toString).collect(Collectors.joining(" "));
        Mirror mirror = Mirror.open(folder.path().resolve("mirror"), source, clock);
        meters.gauge(MeterNames.MIRROR_BEHIND, mirror, Mirror::behind);
        DatabaseServer database = server.product().open(server.settings());
        try {
            return RemoteDatabase.open(
                    database, circuit, mirror, properties.database().startTimeout());
        } catch (RuntimeException e) {
            mirror.close();
            database.close();
            throw e;
        }
    }

    /** Connections that probe the database while the circuit is open. */
    record RecoveryReaders(ReadConnections connections) {}

    /** Notified of changed users, roles, tokens or namespaces; no effect for the embedded database. */
    record SmallTables(Runnable changed) {}

    @Bean
    SmallTables smallTables(Database database) {
        return new SmallTables(database instanceof RemoteDatabase remote ? remote.mirror()::tablesChanged : () -> {});
    }

    /** Reads the shared keys again after a change of another node; blocks. */
    record SharedSecrets(Runnable changed) {}

    @Bean
    RevisionFollower revisionFollower(StoreWriter writer) {
        return writer.applied();
    }

    /** Whether this node follows the changes of other nodes and programs. */
    @Bean
    Following following(StoreWriter writer) {
        return writer.applied().following();
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
    StoreWriter.Limits writeLimits(CairnProperties properties, InternalTimings timings) {
        CairnProperties.Store store = properties.store();
        return new StoreWriter.Limits(
                store.queueWrites(),
                store.queueBytes().toBytes() > 0
                        ? store.queueBytes().toBytes()
                        : Runtime.getRuntime().maxMemory() / 8,
                store.batchWrites(),
                store.batchBytes().toBytes(),
                store.answerWithin(),
                timings.callerWaits());
    }

    @Bean
    StoreWriter storeWriter(
            Database database,
            StoreWriter.Limits limits,
            Clock clock,
            MeterRegistry meters,
            Circuit circuit,
            StoredState state,
            VisibilityBarrier barrier) {
        StoreWriter writer = new StoreWriter(
                "cairn-store-writer",
                circuit,
                database::openWriter,
                database.dialect(),
                clock,
                limits,
                new StoreMeters(meters),
                state::reload,
                barrier,
                database.damage());
        meters.gauge(MeterNames.STORE_UNWRITABLE, writer.availability(), WriteAvailability::secondsRefused);
        meters.gauge(MeterNames.STORE_QUEUE, writer, StoreWriter::queuedCommands);
        return writer;
    }

    @Bean(destroyMethod = "close")
    ReadConnections readConnections(Database database) {
        return database.readers();
    }

    @Bean
    RevisionGate revisionGate(RevisionFollower follower, Following following, Timer timer, CatchUp catchUp) {
        return new RevisionGate(follower, following, timer, MIN_REVISION_WITHIN, catchUp);
    }

    /** Reads the changes of other nodes where this one may be behind them. */
    @Bean
    CatchUp catchUp(
            Database database,
            RevisionFollower follower,
            Following following,
            Circuit circuit,
            Timer timer,
            CairnProperties properties,
            VisibleWithin visible) {
        return database instanceof RemoteDatabase
                ? new CatchUp(
                        new CatchUp.Sources(follower, following, () -> circuit.cause() != null, timer),
                        new CatchUp.Settings(properties.database().heartbeat().plus(LATE), visible.time()))
                : CatchUp.NOT_NEEDED;
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
                followed,
                remote.leftOut());
        return new DatabaseLifecycle(remote, store, writer, readers, view, foreign);
    }
}
