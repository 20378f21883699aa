package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.server.admission.AcceptFailures;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.core.Attention;
import io.cairn.server.http.core.Finding;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.core.PushLatencyReads;
import io.cairn.server.http.core.ServerProcess;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.ProxyMisfits;
import io.cairn.server.http.v3.AttentionEndpoints;
import io.cairn.server.http.v3.ProcessEndpoints;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.InstanceLosses;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.RefusedBeats;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeFinding;
import io.cairn.server.storage.AppliedRevision;
import io.cairn.server.storage.Database;
import io.cairn.server.storage.SqliteDatabase;
import io.cairn.server.storage.StoreWriter;
import io.cairn.server.storage.WriteAvailability;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.cairn.server.tls.ServerTls;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds what tells people how this server is. */
@Configuration(proxyBeanMethods = false)
class AttentionConfiguration {

    private static final double NEAR = 0.8;
    private static final double DISK_FULL = 0.9;
    private static final double DISK_URGENT = 0.98;
    private static final Duration CERTIFICATE_SOON = Duration.ofDays(30);
    private static final Duration CERTIFICATE_URGENT = Duration.ofDays(7);
    /** The age from which a change counts as missed by a listener that does not have it, in production. */
    static final Duration ON_ITS_WAY = Duration.ofSeconds(10);

    private static final Duration LOSS_IS_NEWS = Duration.ofDays(1);
    private static final Duration FAILURE_IS_NEWS = Duration.ofHours(1);
    private static final int MOST_LISTENERS = 200_000;
    private static final int MOST_BEHIND = 20;

    /** The endpoints that tell of it. */
    record AttentionRoutes(List<HttpRoute> routes) {}

    /** Ends a period of the history now and again, until it is closed. */
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

    @Bean
    NacosMeters nacosMeters(
            MeterRegistry meters,
            ConfigView configs,
            ConfigListeners listeners,
            NamingService naming,
            ServiceSubscriptions subscriptions,
            UdpSubscribers udp,
            ConnectionRegistry connections,
            PushHistory history) {
        NacosMeters nacos = new NacosMeters(meters);
        nacos.configurations(configs, listeners);
        nacos.services(naming, subscriptions, udp, history);
        nacos.connections(connections);
        return nacos;
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
    AttentionRoutes attentionRoutes(
            PushHistory history,
            Database database,
            StoreWriter writer,
            DataFolder folder,
            Accounts accounts,
            AccessPolicy policy,
            TlsLifecycle tls,
            HttpAuthorizer authorizer,
            ServerLimits limits,
            AcceptFailures acceptFailures,
            ServerProcess process,
            ConfigListeners listeners,
            NamingService naming,
            RefusedBeats refused,
            WorkPools pools,
            ClusterMembers members,
            ClusterReads others,
            StoredResources mesh,
            MeshReads proxies,
            Clock clock,
            InternalTimings timings) {
        long onItsWayMillis = timings.changeOnItsWay().toMillis();
        List<Attention.Source> sources = List.of(
                namespace -> database(writer.availability()),
                namespace -> lostCommits(writer.applied().lostCommits(), clock),
                namespace -> pages(database),
                namespace -> disk(folder.path()),
                namespace -> refusedBeats(refused),
                namespace -> notBack(naming),
                namespace -> policy.isEnabled() ? passwords(accounts) : List.of(),
                namespace -> tls.encryption() == null ? List.of() : certificate(tls.encryption(), clock),
                namespace -> misfits(authorizer.misfits()),
                namespace -> nodes(members),
                namespace -> StoredMeshConfiguration.unreadable(mesh.unreadable(namespace)),
                namespace -> MeshConfiguration.findings(proxies.proxies(), namespace),
                namespace -> MeshConfiguration.serviceFindings(proxies.serviceProblems(namespace)),
                namespace -> limits(limits),
                namespace -> openFiles(limits.openFiles(), acceptFailures.last(), clock),
                namespace -> listeners.behind(namespace, clock.millis() - onItsWayMillis, MOST_LISTENERS).stream()
                        .limit(MOST_BEHIND)
                        .map(behind -> new Finding(
                                Finding.Kind.LISTENERS_BEHIND,
                                false,
                                behind.key().dataId(),
                                behind.key().group(),
                                "",
                                behind.late(),
                                behind.all()))
                        .toList());
        ReadPool pool = new ReadPool(pools.endpoints());
        Attention attention = new Attention(
                sources,
                () -> members.isCluster() ? Optional.of(members.self().address()) : Optional.empty(),
                others,
                pool);
        PushLatencyReads pushes = new PushLatencyReads(history, others, pool);
        ContainerErrors errors = new ContainerErrors(clock);
        List<HttpRoute> routes = new ArrayList<>(new AttentionEndpoints(attention, pushes, errors).adminRoutes());
        routes.addAll(new ProcessEndpoints(process, pools.endpoints(), errors).adminRoutes());
        return new AttentionRoutes(routes);
    }

    private static List<Finding> database(WriteAvailability writes) {
        CairnException cause = writes.cause();
        return cause == null
                ? List.of()
                : List.of(Finding.of(
                        writes.isRefusing() ? Finding.Kind.WRITES_REFUSED : Finding.Kind.DATABASE_AWAY,
                        true,
                        "database",
                        cause.text()));
    }

    private static List<Finding> lostCommits(AppliedRevision.@Nullable LostCommits lost, Clock clock) {
        return lost == null || lost.foundAt().isBefore(clock.instant().minus(LOSS_IS_NEWS))
                ? List.of()
                : List.of(new Finding(
                        Finding.Kind.DATABASE_LOST_COMMITS,
                        true,
                        "database",
                        "",
                        "It went back from revision " + lost.before() + " to an earlier state and was at revision "
                                + lost.now() + " when this was found at "
                                + lost.foundAt().truncatedTo(ChronoUnit.SECONDS)
                                + ". What was acknowledged in between may be missing: publish it again",
                        0,
                        0,
                        lost.foundAt().toEpochMilli(),
                        ""));
    }

    private static List<Finding> pages(Database database) {
        return database instanceof SqliteDatabase sqlite
                ? sqlite.keptPages().stream()
                        .map(why -> Finding.of(
                                Finding.Kind.DATABASE_PAGES_OLD,
                                false,
                                sqlite.file().toString(),
                                why))
                        .toList()
                : List.of();
    }

    private static List<Finding> nodes(ClusterMembers members) {
        return members.findings().stream()
                .map(found -> new Finding(
                        Finding.Kind.valueOf(found.kind().name()),
                        found.isUrgent(),
                        found.node(),
                        "",
                        found.detail(),
                        found.number(),
                        0,
                        0,
                        found.cause() == NodeFinding.Cause.NONE
                                ? ""
                                : found.cause().name()))
                .toList();
    }

    private static List<Finding> refusedBeats(RefusedBeats refused) {
        return refused.now().stream()
                .limit(MOST_BEHIND)
                .map(user -> new Finding(
                        Finding.Kind.BEATS_REFUSED,
                        true,
                        user.user(),
                        "",
                        "Beats of " + (user.user().isEmpty() ? "clients without credentials" : "user " + user.user())
                                + " are refused since "
                                + Instant.ofEpochMilli(user.sinceMillis()).truncatedTo(ChronoUnit.SECONDS) + " ("
                                + user.reason() + "): " + (user.isLowerBound() ? "at least " : "")
                                + count(user.instances(), "instance") + " of " + count(user.services(), "service"),
                        user.instances(),
                        user.services(),
                        user.sinceMillis(),
                        user.reason()))
                .toList();
    }

    private static List<Finding> misfits(ProxyMisfits misfits) {
        return misfits.now().stream()
                .map(seen -> new Finding(
                        seen.isPath() ? Finding.Kind.PROXY_PATH_UNKNOWN : Finding.Kind.HOST_REFUSED,
                        false,
                        seen.subject(),
                        "",
                        seen.detail(),
                        seen.times(),
                        0))
                .toList();
    }

    private static List<Finding> notBack(NamingService naming) {
        InstanceLosses.Extent absent = naming.notBack();
        return absent.instances() == 0
                ? List.of()
                : List.of(new Finding(
                        Finding.Kind.INSTANCES_NOT_BACK,
                        false,
                        "instances",
                        "",
                        count(absent.instances(), "instance") + " of " + count(absent.services(), "service")
                                + " known before the restart did not come back",
                        absent.instances(),
                        absent.services()));
    }

    private static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    private static List<Finding> disk(Path folder) {
        try {
            FileStore disk = Files.getFileStore(folder);
            long total = disk.getTotalSpace();
            long used = total - disk.getUsableSpace();
            return total <= 0 || used < total * DISK_FULL
                    ? List.of()
                    : List.of(new Finding(
                            Finding.Kind.DISK_FULL,
                            used >= total * DISK_URGENT,
                            folder.toString(),
                            "",
                            "",
                            used,
                            total));
        } catch (IOException e) {
            throw new UncheckedIOException(folder + ": its disk cannot be looked at", e);
        }
    }

    /** The administrators whose password others have read, or could have. */
    private static List<Finding> passwords(Accounts accounts) {
        List<Finding> unchanged = new ArrayList<>();
        for (AccountRows.User user : accounts.rows().users()) {
            Principal principal = accounts.principal(user.name());
            if (user.mustChange() && principal != null && principal.isAdmin()) {
                unchanged.add(Finding.of(Finding.Kind.PASSWORD_UNCHANGED, false, user.name(), ""));
            }
        }
        return unchanged;
    }

    private static List<Finding> certificate(ServerTls tls, Clock clock) {
        Duration left = Duration.between(
                clock.instant(), tls.certificate().getNotAfter().toInstant());
        return left.compareTo(CERTIFICATE_SOON) > 0
                ? List.of()
                : List.of(new Finding(
                        Finding.Kind.CERTIFICATE_ENDS,
                        left.compareTo(CERTIFICATE_URGENT) < 0,
                        tls.certificate().getSubjectX500Principal().getName(),
                        "",
                        "",
                        left.toSeconds(),
                        0));
    }

    private static List<Finding> limits(ServerLimits limits) {
        List<Finding> near = new ArrayList<>();
        for (Limit limit : limits.all()) {
            if (limit != limits.openFiles() && isNear(limit)) {
                near.add(near(limit, limit.used() >= limit.max(), limit.setting()));
            }
        }
        return near;
    }

    /** Said for an hour after a connection was refused for want of files: while it lasts, hardly anybody can ask. */
    private static List<Finding> openFiles(Limit files, @Nullable Instant failed, Clock clock) {
        if (failed != null && failed.plus(FAILURE_IS_NEWS).isAfter(clock.instant())) {
            return List.of(near(
                    files,
                    true,
                    files.setting() + "; connections that were not accepted: " + files.timesExceeded()
                            + ", the last at " + failed.truncatedTo(ChronoUnit.SECONDS)));
        }
        return isNear(files) ? List.of(near(files, files.used() >= files.max(), files.setting())) : List.of();
    }

    private static boolean isNear(Limit limit) {
        return limit.max() > 0 && limit.used() >= limit.max() * NEAR;
    }

    private static Finding near(Limit limit, boolean isUrgent, String detail) {
        return new Finding(Finding.Kind.LIMIT_NEAR, isUrgent, limit.name(), "", detail, limit.used(), limit.max());
    }
}
