package io.cairn.server.wiring;

import io.cairn.server.admission.AcceptFailures;
import io.cairn.server.admission.OpenFileFindings;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Directory;
import io.cairn.server.auth.PasswordFindings;
import io.cairn.server.auth.PermissionFindings;
import io.cairn.server.change.FollowingFindings;
import io.cairn.server.change.FollowingFindings.Follower;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.core.Attention;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.core.PushLatencyReads;
import io.cairn.server.http.core.ServerProcess;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v3.AttentionEndpoints;
import io.cairn.server.http.v3.ProcessEndpoints;
import io.cairn.server.limit.DiskFindings;
import io.cairn.server.limit.LimitFindings;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.mesh.MeshFindings;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.lease.RefusedBeats;
import io.cairn.server.naming.lease.RegistryFindings;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeFindings;
import io.cairn.server.storage.DatabaseFindings;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.ListenerFindings;
import io.cairn.server.tls.CertificateFindings;
import io.cairn.server.wiring.lifecycle.AccessLifecycle;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.TlsLifecycle;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.InternalTimings;
import io.cairn.server.wiring.settings.Version;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Collects the findings of all features, and builds the endpoints about this server's state. */
@Configuration(proxyBeanMethods = false)
class AttentionConfiguration {

    @Bean
    FindingSource databaseFindings(Database database, StoreWriter writer, Clock clock) {
        return new DatabaseFindings(database, writer, clock);
    }

    @Bean
    FindingSource followingFindings(
            Database database, StoreWriter writer, AccessLifecycle access, Circuit circuit, Clock clock) {
        List<Follower> followers = new ArrayList<>();
        followers.add(new Follower("accounts", true, access.following()));
        if (database instanceof RemoteDatabase remote) {
            followers.add(new Follower("changes", true, writer.applied().following()));
            followers.add(new Follower("mirror", false, remote.mirror().following()));
        }
        return new FollowingFindings(followers, () -> circuit.cause() != null, clock);
    }

    @Bean
    FindingSource diskFindings(DataFolder folder) {
        return new DiskFindings(folder.path());
    }

    @Bean
    FindingSource registryFindings(RegistryParts naming, RefusedBeats refused) {
        return new RegistryFindings(naming.reads(), refused);
    }

    @Bean
    FindingSource passwordFindings(AccessPolicy policy, Accounts accounts, Directory directory) {
        return new PasswordFindings(policy, accounts, directory != Directory.NONE);
    }

    @Bean
    FindingSource permissionFindings(AccessPolicy policy, Accounts accounts) {
        return new PermissionFindings(policy, accounts);
    }

    @Bean
    FindingSource certificateFindings(TlsLifecycle tls, Clock clock) {
        return tls.encryption() == null ? FindingSource.NONE : new CertificateFindings(tls.encryption(), clock);
    }

    @Bean
    FindingSource proxyFindings(HttpAuthorizer authorizer) {
        return authorizer.misfits();
    }

    @Bean
    FindingSource nodeFindings(ClusterMembers members) {
        return new NodeFindings(members);
    }

    @Bean
    FindingSource meshFindings(StoredResources stored, MeshReads reads) {
        return new MeshFindings(stored, reads);
    }

    @Bean
    FindingSource limitFindings(ServerLimits limits) {
        return new LimitFindings(limits);
    }

    @Bean
    FindingSource openFileFindings(ServerLimits limits, AcceptFailures failures, Clock clock) {
        return new OpenFileFindings(limits.openFiles(), failures, clock);
    }

    @Bean
    FindingSource listenerFindings(ConfigListeners listeners, InternalTimings timings, Clock clock) {
        return new ListenerFindings(listeners, timings.changeOnItsWay(), clock);
    }

    @Bean
    HttpRoutes attentionRoutes(
            List<FindingSource> sources,
            PushHistory history,
            ClusterMembers members,
            ClusterReads nodes,
            WorkPools pools,
            ContainerErrors errors) {
        ReadPool pool = new ReadPool(pools.endpoints());
        Attention attention = new Attention(
                sources,
                () -> members.isCluster() ? Optional.of(members.self().address()) : Optional.empty(),
                nodes,
                pool);
        return HttpRoutes.of(
                new AttentionEndpoints(attention, new PushLatencyReads(history, nodes, pool), errors).adminRoutes());
    }

    @Bean
    ServerProcess serverProcess(DataFolder folder, ServerLimits limits, Environment environment) {
        return new ServerProcess(
                Version.TEXT,
                Path.of(environment.getProperty("cairn.home", "")),
                folder.path(),
                environment.getProperty("logging.file.name", ""),
                limits.openFiles());
    }

    @Bean
    HttpRoutes processRoutes(ServerProcess process, WorkPools pools, ContainerErrors errors) {
        return HttpRoutes.of(new ProcessEndpoints(process, pools.endpoints(), errors).adminRoutes());
    }

    @Bean
    PushHistory pushHistory(InternalTimings timings) {
        return new PushHistory(timings.pushHistoryPeriod());
    }

    @Bean(destroyMethod = "close")
    PushClock pushClock(PushHistory history, Timer timer, Clock clock) {
        PushClock pushClock = new PushClock(history, timer, clock, new AtomicBoolean());
        pushClock.next();
        return pushClock;
    }

    /** Ends each period of the history in time, until it is closed. */
    record PushClock(PushHistory history, Timer timer, Clock clock, AtomicBoolean closed) implements AutoCloseable {

        private void next() {
            timer.newTimeout(
                    timeout -> {
                        if (!closed.get()) {
                            history.endPeriod(clock.millis());
                            next();
                        }
                    },
                    history.period().toMillis(),
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            closed.set(true);
        }
    }
}
