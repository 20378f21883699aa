package io.cairn.server.wiring;

import io.cairn.server.cluster.ClusterNode;
import io.cairn.server.cluster.GroupChannel;
import io.cairn.server.cluster.GroupSettings;
import io.cairn.server.cluster.HostResolver;
import io.cairn.server.cluster.JGroupsChannel;
import io.cairn.server.cluster.LocalServer;
import io.cairn.server.cluster.LookupSettings;
import io.cairn.server.cluster.NodeIdentity;
import io.cairn.server.cluster.NodeSettings;
import io.cairn.server.cluster.OwnAddress;
import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.OwnPublications;
import io.cairn.server.naming.RecoveryWindow;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeTable;
import io.cairn.server.node.StandaloneMembers;
import io.cairn.server.storage.Circuit;
import io.cairn.server.storage.Database;
import io.cairn.server.storage.JdbcNodeTable;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Builds what makes this server a node of a cluster, or a server of its own. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ClusterProperties.class)
@Import({ClusterConfiguration.Single.class, ClusterConfiguration.Node.class})
class ClusterConfiguration {

    @Bean
    ClusterLifecycle clusterLifecycle(ObjectProvider<ClusterNode> node) {
        return new ClusterLifecycle(node.getIfAvailable());
    }

    /** A server of its own. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(ClusterMode.Off.class)
    static class Single {

        @Bean
        ClusterMembers clusterMembers(
                NacosSettings settings,
                ObjectProvider<ServerPorts> ports,
                ObjectProvider<ConnectionRegistry> connections,
                ObjectProvider<NamingService> naming,
                Clock clock) {
            long startedAt = clock.millis();
            return new StandaloneMembers(() -> new NodeStatus(
                    settings.serverIp() + ':' + ports.getObject().httpPort(),
                    NodeStatus.Presence.PRESENT,
                    NodeState.READY,
                    Version.TEXT,
                    ports.getObject().grpcPort(),
                    0,
                    startedAt,
                    startedAt,
                    clock.millis(),
                    connections.getObject().size(),
                    0,
                    naming.getObject().instanceCount(),
                    0,
                    0,
                    null));
        }
    }

    /** A node of a cluster. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(ClusterMode.On.class)
    static class Node {

        private static final Logger log = LoggerFactory.getLogger(ClusterConfiguration.class);
        private static final int GRPC_OFFSET = 1_000;

        /** The clock of the group, beside the clock of this machine. */
        record GroupTime(ClusterClock clock) {}

        /** The registry as the group sees it. */
        record MirroredParts(MirroredRegistry mirror, OwnPublications own) {}

        /** The key of the messages between the nodes. */
        record GroupSecret(Supplier<byte[]> load) {}

        /** The last revision of the change log that this node shows. */
        record ShownRevision(LongSupplier now) {}

        /** A fingerprint of the keys that sign tokens. */
        record KeysFingerprint(Supplier<String> now) {}

        @Bean
        GroupTime groupTime(Clock clock) {
            return new GroupTime(new ClusterClock(clock));
        }

        @Bean
        MirroredParts mirroredParts() {
            UnmirroredRegistry registry = new UnmirroredRegistry();
            return new MirroredParts(registry, registry);
        }

        @Bean(destroyMethod = "close")
        JdbcNodeTable nodeTable(Database database, Circuit circuit) {
            return new JdbcNodeTable(database::openBrief, database.dialect(), circuit);
        }

        @Bean
        GroupSecret groupSecret(ClusterProperties cluster) {
            return new GroupSecret(() -> Base64.getDecoder().decode(cluster.key()));
        }

        @Bean
        ShownRevision shownRevision() {
            return new ShownRevision(() -> 0);
        }

        @Bean
        KeysFingerprint keysFingerprint() {
            return new KeysFingerprint(() -> "");
        }

        @Bean
        NodeIdentity nodeIdentity(
                NacosSettings settings,
                ClusterProperties properties,
                NodeTable nodes,
                Environment environment,
                Clock clock) {
            Function<String, @Nullable String> property = name -> NacosSettings.value(environment, name);
            return NodeIdentity.find(
                    LookupSettings.read(property),
                    Path.of(environment.getProperty("cairn.home", "")).resolve("conf"),
                    settings.address().getPort(),
                    properties.port(),
                    nodes,
                    new OwnAddress(OwnAddress.Preferences.read(property), OwnAddress.Machine.THIS, HostResolver.SYSTEM),
                    HostResolver.SYSTEM,
                    clock.millis());
        }

        @Bean(destroyMethod = "close")
        ClusterNode clusterNode(
                NodeIdentity identity,
                NacosSettings settings,
                CairnProperties properties,
                ClusterProperties cluster,
                AuthSettings auth,
                NodeTable nodes,
                GroupSecret key,
                MirroredParts registry,
                GroupTime time,
                ShownRevision revision,
                KeysFingerprint keys,
                ConnectionRegistry connections,
                Clock clock) {
            InetAddress advertised = identity.advertised(HostResolver.SYSTEM);
            warnOfLoopback(settings, advertised);
            GroupChannel channel = new JGroupsChannel(new GroupSettings(
                    identity.self(),
                    identity.bind(cluster.bindAddress().isBlank() ? null : cluster.bindAddress(), HostResolver.SYSTEM),
                    advertised,
                    key.load().get(),
                    cluster.failureTimeout()));
            Duration window = properties.naming().recoveryWindow();
            return new ClusterNode(
                    new NodeSettings(
                            identity.self(),
                            identity.groupPort(),
                            settings.address().getPort() + GRPC_OFFSET,
                            Version.TEXT,
                            cluster.joinTimeout()),
                    identity.lookup(),
                    HostResolver.SYSTEM,
                    channel,
                    nodes,
                    registry.mirror(),
                    registry.own(),
                    sdk -> RecoveryWindow.of(sdk, window),
                    new Local(
                            revision.now(),
                            connections::size,
                            CommonSettings.digest(properties, settings, auth, cluster),
                            keys.now()),
                    time.clock(),
                    clock);
        }

        private static void warnOfLoopback(NacosSettings settings, InetAddress advertised) {
            if (settings.address().getAddress().isLoopbackAddress() && !advertised.isLoopbackAddress()) {
                log.warn(
                        "Clients are given the address {}, but the ports for clients are open on {} only: set"
                                + " server.address=0.0.0.0",
                        advertised.getHostAddress(),
                        settings.address().getAddress().getHostAddress());
            }
        }

        private record Local(
                LongSupplier shown, LongSupplier clients, long settingsDigest, Supplier<String> fingerprint)
                implements LocalServer {

            @Override
            public long revision() {
                return shown.getAsLong();
            }

            @Override
            public long connections() {
                return clients.getAsLong();
            }

            @Override
            public String keysFingerprint() {
                return fingerprint.get();
            }
        }
    }
}
