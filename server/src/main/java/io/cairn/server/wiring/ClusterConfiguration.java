package io.cairn.server.wiring;

import io.cairn.server.auth.KeyRotation;
import io.cairn.server.auth.LoginThrottle;
import io.cairn.server.change.CatchUp;
import io.cairn.server.change.Following;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.cluster.Ask;
import io.cairn.server.cluster.ClusterNode;
import io.cairn.server.cluster.ClusterOperations;
import io.cairn.server.cluster.GroupChannel;
import io.cairn.server.cluster.GroupReads;
import io.cairn.server.cluster.GroupSettings;
import io.cairn.server.cluster.HostResolver;
import io.cairn.server.cluster.JGroupsChannel;
import io.cairn.server.cluster.LocalServer;
import io.cairn.server.cluster.LookupSettings;
import io.cairn.server.cluster.NodeIdentity;
import io.cairn.server.cluster.NodeSettings;
import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.cluster.replication.LastKnownCopies;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.routing.ClusterRouting;
import io.cairn.server.cluster.routing.OwnerTable;
import io.cairn.server.cluster.visibility.ClusterBarrier;
import io.cairn.server.cluster.visibility.RevisionExchange;
import io.cairn.server.cluster.visibility.RevisionsElsewhere;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.connection.ConnectedClients;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.EvacuationMoves;
import io.cairn.server.connection.Rebalancing;
import io.cairn.server.http.core.ClientLoad;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.group.CheckShare;
import io.cairn.server.naming.group.ClientRouting;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.RecoveryWindow;
import io.cairn.server.naming.stored.PersistentHealth;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.ClusterDuty;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.GroupKey;
import io.cairn.server.node.NodeOperations;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeTable;
import io.cairn.server.node.StandaloneMembers;
import io.cairn.server.storage.memory.SqliteCopyMemory;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.wiring.lifecycle.BoundPorts;
import io.cairn.server.wiring.lifecycle.ClusterLifecycle;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.AuthSettings;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.ClusterMode;
import io.cairn.server.wiring.settings.ClusterProperties;
import io.cairn.server.wiring.settings.CommonSettings;
import io.cairn.server.wiring.settings.LdapProperties;
import io.cairn.server.wiring.settings.LdapSettings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.NodeAddresses;
import io.cairn.server.wiring.settings.OidcProperties;
import io.cairn.server.wiring.settings.OidcSettings;
import io.cairn.server.wiring.settings.Version;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Builds a node of a cluster, or a single server. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ClusterProperties.class)
@Import({ClusterConfiguration.Single.class, ClusterConfiguration.Node.class})
class ClusterConfiguration {

    @Configuration(proxyBeanMethods = false)
    @Conditional(ClusterMode.Off.class)
    static class Single {

        @Bean
        ClusterLifecycle clusterLifecycle() {
            return ClusterLifecycle.ofSingleServer();
        }

        @Bean
        RegistryParts registryParts(
                NamingSettings settings,
                Switches switches,
                Timer timer,
                Clock clock,
                ConnectionRegistry connections,
                ServerLimits limits,
                MeterRegistry meters) {
            return NamingConfiguration.connected(
                    RegistryParts.of(settings, switches, timer, clock), connections, limits, meters);
        }

        @Bean
        OwnChanges ownChanges() {
            return OwnChanges.NONE;
        }

        @Bean
        ClusterDuty clusterDuty() {
            return ClusterDuty.ALONE;
        }

        @Bean
        VisibilityBarrier visibilityBarrier() {
            return VisibilityBarrier.ofSingleServer();
        }

        /** No notices come. */
        @Bean
        DatabaseConfiguration.VisibleWithin visibleWithin() {
            return new DatabaseConfiguration.VisibleWithin(Duration.ZERO);
        }

        @Bean
        ClusterReads clusterReads() {
            return ClusterReads.OF_SINGLE_SERVER;
        }

        @Bean
        CheckShare checkShare() {
            return CheckShare.ALL;
        }

        @Bean
        ClientRouting clientRouting(RegistryParts naming) {
            return ClientRouting.standalone(naming.leases(), naming.recovery());
        }

        @Bean
        NodeOperations nodeOperations(ClusterMembers members, ConnectionRegistry connections) {
            return NodeOperations.ofSingleServer(
                    () -> ClientLoad.own(members.self().address(), connections.size()));
        }

        @Bean
        ClusterMembers clusterMembers(
                NacosSettings settings,
                BoundPorts ports,
                ConnectionRegistry connections,
                RegistryParts naming,
                Clock clock) {
            long startedAt = clock.millis();
            return new StandaloneMembers(() -> new NodeStatus(
                    settings.serverIp() + ':' + ports.http(),
                    NodeStatus.Presence.PRESENT,
                    NodeState.READY,
                    Version.TEXT,
                    ports.grpc(),
                    0,
                    startedAt,
                    startedAt,
                    clock.millis(),
                    connections.size(),
                    0,
                    naming.reads().instanceCount(),
                    0,
                    0,
                    null));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(ClusterMode.On.class)
    static class Node {

        private static final Logger log = LoggerFactory.getLogger(ClusterConfiguration.class);
        private static final int GRPC_OFFSET = 1_000;

        @Bean
        ClusterLifecycle clusterLifecycle(ClusterNode node, LastKnownCopies copies, ClusterBarrier barrier) {
            return ClusterLifecycle.ofNode(node, copies, barrier);
        }

        @Bean
        NodeIdentity nodeIdentity(
                NacosSettings settings,
                ClusterProperties properties,
                NodeTable nodes,
                Environment environment,
                Clock clock) {
            return NodeIdentity.find(
                    LookupSettings.read(NodeAddresses.property(environment)),
                    NodeAddresses.folder(environment),
                    settings.address().getPort(),
                    properties.port(),
                    nodes,
                    NodeAddresses.ownAddress(environment),
                    HostResolver.SYSTEM,
                    clock.millis());
        }

        /** Before the first session of the writer, which other nodes know by that name. */
        @Bean
        NamedWriter namedWriter(StoreWriter writer, NodeIdentity identity) {
            writer.writesAs(identity.self().address());
            return new NamedWriter(writer);
        }

        record NamedWriter(StoreWriter writer) {}

        @Bean(destroyMethod = "")
        GroupChannel groupChannel(
                NodeIdentity identity, NacosSettings settings, ClusterProperties cluster, GroupKey key) {
            InetAddress advertised = identity.advertised(HostResolver.SYSTEM);
            warnOfLoopback(settings, advertised);
            return new JGroupsChannel(new GroupSettings(
                    identity.self(),
                    identity.bind(NodeAddresses.bindAddress(cluster), HostResolver.SYSTEM),
                    advertised,
                    key.load(),
                    cluster.failureTimeout()));
        }

        @Bean
        NodeSettings nodeSettings(NodeIdentity identity, NacosSettings settings, ClusterProperties cluster) {
            return new NodeSettings(
                    identity.self(),
                    identity.groupPort(),
                    settings.address().getPort() + GRPC_OFFSET,
                    Version.TEXT,
                    cluster.joinTimeout());
        }

        record SharedSettings(long digest) {}

        @Bean
        SharedSettings sharedSettings(
                CairnProperties properties,
                NacosSettings settings,
                AuthSettings auth,
                ClusterProperties cluster,
                OidcProperties oidc,
                LdapProperties ldap,
                Environment environment) {
            return new SharedSettings(CommonSettings.digest(
                    properties,
                    settings,
                    auth,
                    cluster,
                    OidcSettings.common(environment, oidc),
                    LdapSettings.common(environment, ldap)));
        }

        @Bean
        LocalServer localServer(
                SharedSettings settings,
                AuthSettings auth,
                RevisionFollower revisions,
                Following following,
                ConnectionRegistry connections,
                KeyRotation keys) {
            return new Local(
                    revisions,
                    following,
                    connections::size,
                    settings.digest(),
                    auth.enabled() ? keys::fingerprint : () -> "");
        }

        @Bean
        NewNode newNode(
                NodeSettings settings,
                NodeIdentity identity,
                GroupChannel channel,
                NodeTable nodes,
                LocalServer server,
                Clock clock) {
            return new NewNode(settings, identity, channel, nodes, server, new ClusterClock(clock), clock);
        }

        /** Registry and node are made together, because each records its changes with the other. */
        @Bean
        NodeRegistry nodeRegistry(
                NamingSettings settings,
                Switches switches,
                Timer timer,
                NewNode newNode,
                ConnectionRegistry connections,
                ServerLimits limits,
                MeterRegistry meters) {
            RegistryParts naming = NamingConfiguration.connected(
                    RegistryParts.of(settings, switches, timer, newNode.groupClock()), connections, limits, meters);
            return new NodeRegistry(naming, newNode.create(naming, settings.recoveryWindow()));
        }

        @Bean
        RegistryParts registryParts(NodeRegistry registry) {
            return registry.naming();
        }

        @Bean(destroyMethod = "close")
        ClusterNode clusterNode(NodeRegistry registry) {
            return registry.node();
        }

        @Bean
        OwnChanges ownChanges(ClusterNode node) {
            return node.changes();
        }

        @Bean
        ClusterDuty clusterDuty(ClusterNode node) {
            return node::isFirstInService;
        }

        @Bean(destroyMethod = "close")
        ClusterBarrier visibilityBarrier(ClusterProperties cluster, MeterRegistry meters) {
            return ClusterMeters.measured(
                    ClusterBarrier.open(new ClusterBarrier.Settings(
                            cluster.visible() == ClusterProperties.Visible.EVERYWHERE, cluster.visibleWithin())),
                    meters);
        }

        @Bean(initMethod = "start")
        RevisionExchange revisionExchange(
                ClusterBarrier barrier, RevisionFollower revisions, RevisionsElsewhere elsewhere, ClusterNode node) {
            RevisionExchange exchange = new RevisionExchange(barrier, revisions, node::send);
            node.receive(ClusterMessage.RevisionNotice.class, (from, notice) -> {
                elsewhere.noticed(notice);
                exchange.message(from, notice);
            });
            node.receive(ClusterMessage.RevisionApplied.class, exchange::message);
            node.followMembers((states, peers) -> exchange.members(peers));
            return exchange;
        }

        @Bean
        RevisionsElsewhere revisionsElsewhere(CatchUp catchUp, ClusterNode node) {
            catchUp.mayLackChanges(node::mayLackChanges);
            RevisionsElsewhere elsewhere = new RevisionsElsewhere(catchUp);
            node.followMembers((states, peers) -> elsewhere.members(peers));
            return elsewhere;
        }

        /** Half of the limit of callers: a notice is under way, too. */
        @Bean
        DatabaseConfiguration.VisibleWithin visibleWithin(ClusterProperties cluster) {
            return new DatabaseConfiguration.VisibleWithin(
                    cluster.visible() == ClusterProperties.Visible.EVERYWHERE
                            ? cluster.visibleWithin().dividedBy(2)
                            : Duration.ZERO);
        }

        @Bean
        EvacuationMoves evacuationMoves(
                ConnectionRegistry connections, NodeIdentity identity, ClusterNode node, ClusterProperties cluster) {
            EvacuationMoves moves =
                    new EvacuationMoves(connections, node::othersForClients, node::isTakenForDead, cluster.drainRate());
            node.followMembers((states, peers) -> moves.state(states.getOrDefault(identity.self(), NodeState.JOINING)));
            return moves;
        }

        @Bean
        Rebalancing rebalancing(
                ConnectionRegistry connections, NodeIdentity identity, ClusterNode node, ClusterProperties cluster) {
            Rebalancing rebalancing =
                    new Rebalancing(connections, identity.self(), cluster.rebalance(), cluster.rebalanceAfter());
            node.followMembers((states, peers) -> rebalancing.members(states, node.clientsOfOthers()));
            return rebalancing;
        }

        @Bean
        NodeOperations nodeOperations(
                ClusterNode node, Ask ask, Rebalancing rebalancing, ConnectionRegistry connections) {
            return new ClusterOperations(
                    node,
                    ask,
                    new ConnectedClients(connections, rebalancing),
                    () -> ClientLoad.own(node.id().address(), connections.size()));
        }

        @Bean(destroyMethod = "close")
        Ask ask(ClusterNode node, Timer timer, WorkPools pools) {
            Ask ask = new Ask(node::send, timer, pools.questions());
            node.receive(ClusterMessage.Question.class, ask::message);
            node.receive(ClusterMessage.Answer.class, ask::message);
            node.followMembers((states, peers) ->
                    ask.membersAre(peers.stream().map(PeerStatus::id).toList()));
            return ask;
        }

        @Bean
        GroupReads clusterReads(Ask ask, ClusterNode node) {
            return new GroupReads(ask, node::cutOffNodes);
        }

        @Bean
        ClusterMeters clusterMeters(
                MeterRegistry meters, ClusterNode node, GroupReads reads, RevisionFollower revisions) {
            ClusterMeters all = new ClusterMeters(meters, node, revisions);
            all.measure(reads);
            node.followMembers(all);
            return all;
        }

        @Bean(destroyMethod = "close")
        LastKnownCopies lastKnownCopies(ClusterNode node, DataFolder folder) {
            return new LastKnownCopies(node.replication(), SqliteCopyMemory.open(folder.path()));
        }

        @Bean
        OwnerTable ownerTable(NodeIdentity identity, ClientOwnership ownership) {
            return new OwnerTable(identity.self(), ownership);
        }

        @Bean(destroyMethod = "close")
        ClusterRouting clientRouting(
                OwnerTable owners, RegistryParts naming, PersistentHealth health, ClusterNode node, Timer timer) {
            ClusterRouting routing = new ClusterRouting(
                    owners, naming.leases(), naming.recovery(), naming.handover(), health, node::send, timer);
            node.receive(ClusterMessage.Forward.class, routing::message);
            node.receive(ClusterMessage.Forwarded.class, routing::message);
            node.receive(ClusterMessage.Beats.class, routing::message);
            node.receive(ClusterMessage.UnknownBeats.class, routing::message);
            node.followMembers((states, peers) -> routing.membersAre(states));
            naming.mirrored().onClient(routing::clientMirrored);
            routing.onOwnersChanged(health::shareChanged);
            return routing;
        }

        /** Counts logins of all nodes together, so that several nodes allow no more tries than one. */
        @Bean
        LoginFailureExchange loginFailures(LoginThrottle throttle, ClusterNode node) {
            throttle.follow(new LoginThrottle.Listener() {
                @Override
                public void failed(String user, String address) {
                    node.sendToAll(new ClusterMessage.LoginFailures(user, address, 1));
                }

                @Override
                public void succeeded(String user, String address) {
                    node.sendToAll(ClusterMessage.LoginFailures.end(user, address));
                }
            });
            node.receive(ClusterMessage.LoginFailures.class, (from, failures) -> {
                if (failures.isEnd()) {
                    throttle.succeededElsewhere(failures.user(), failures.address());
                } else {
                    throttle.failedElsewhere(failures.user(), failures.address(), failures.count());
                }
            });
            return new LoginFailureExchange(throttle);
        }

        record LoginFailureExchange(LoginThrottle throttle) {}

        private static void warnOfLoopback(NacosSettings settings, InetAddress advertised) {
            if (settings.address().getAddress().isLoopbackAddress() && !advertised.isLoopbackAddress()) {
                log.warn(
                        "Clients are given the address {}, but the ports for clients are open on {} only: set"
                                + " server.address=0.0.0.0",
                        advertised.getHostAddress(),
                        settings.address().getAddress().getHostAddress());
            }
        }

        record NodeRegistry(RegistryParts naming, ClusterNode node) {}

        record NewNode(
                NodeSettings settings,
                NodeIdentity identity,
                GroupChannel channel,
                NodeTable nodes,
                LocalServer server,
                ClusterClock groupClock,
                Clock clock) {

            ClusterNode create(RegistryParts naming, Duration recoveryWindow) {
                ClusterNode node = new ClusterNode(
                        settings,
                        identity.lookup(),
                        HostResolver.SYSTEM,
                        channel,
                        nodes,
                        naming.mirrored(),
                        naming.registrations(),
                        sdk -> RecoveryWindow.of(sdk, recoveryWindow),
                        server,
                        groupClock,
                        clock);
                naming.registry().joinGroup(identity.self().address(), groupClock::stamp, node.changes());
                node.everySecond(naming.renewal()::everySecond);
                return node;
            }
        }

        private record Local(
                RevisionFollower shown,
                Following following,
                LongSupplier clients,
                long settingsDigest,
                Supplier<String> fingerprint)
                implements LocalServer {

            @Override
            public long revision() {
                return Math.max(0, shown.appliedRevision());
            }

            @Override
            public long lastCommit() {
                return shown.lastCommit();
            }

            @Override
            public boolean isRevisionKnown() {
                return shown.appliedRevision() != RevisionFollower.NONE;
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
