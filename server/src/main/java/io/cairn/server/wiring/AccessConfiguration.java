package io.cairn.server.wiring;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.AccountService;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.AuditRetention;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.FileSigningKeys;
import io.cairn.server.auth.FirstPasswordFile;
import io.cairn.server.auth.FirstStart;
import io.cairn.server.auth.KeyRotation;
import io.cairn.server.auth.LoginThrottle;
import io.cairn.server.auth.SecretFolder;
import io.cairn.server.auth.SharedSigningKeys;
import io.cairn.server.auth.SigningKeyStore;
import io.cairn.server.auth.SigningKeys;
import io.cairn.server.auth.TrustedProxies;
import io.cairn.server.auth.UserTokens;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.access.AccountActions;
import io.cairn.server.http.access.OwnAccess;
import io.cairn.server.http.access.RuleActions;
import io.cairn.server.http.access.TokenActions;
import io.cairn.server.http.access.TokenExplanation;
import io.cairn.server.http.access.WithoutLoginReads;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.naming.BeatRefusals;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.CrossOriginGuard;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.v3.GroupKeyEndpoints;
import io.cairn.server.http.v3.WithoutLoginEndpoints;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.lease.RefusedBeats;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.node.ClusterDuty;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.GroupKey;
import io.cairn.server.node.SecretStore;
import io.cairn.server.rpc.RpcAuthorizer;
import io.cairn.server.rpc.WatchRevocation;
import io.cairn.server.rpc.naming.RegistrationRefusals;
import io.cairn.server.storage.DatabaseProducts;
import io.cairn.server.storage.RemoteDatabase;
import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.access.JdbcAuditStore;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.cairn.server.wiring.lifecycle.AccessLifecycle;
import io.cairn.server.wiring.lifecycle.DataFolder;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.AccessProperties;
import io.cairn.server.wiring.settings.AuthSettings;
import io.cairn.server.wiring.settings.InternalTimings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(AccessProperties.class)
class AccessConfiguration {

    @Bean
    AuthSettings authSettings(Environment environment, NacosSettings settings) {
        return AuthSettings.read(environment, settings.address().getAddress());
    }

    @Bean
    AccessPolicy accessPolicy(AuthSettings settings) {
        return new AccessPolicy(settings.closed());
    }

    @Bean
    ClientsWithoutLogin clientsWithoutLogin(AuthSettings settings, Clock clock, MeterRegistry meters) {
        ClientsWithoutLogin clients = new ClientsWithoutLogin(settings.rehearsal(), clock);
        FunctionCounter.builder(MeterNames.SERVED_WITHOUT, clients, ClientsWithoutLogin::withoutLogin)
                .tag("missing", "login")
                .register(meters);
        FunctionCounter.builder(MeterNames.SERVED_WITHOUT, clients, ClientsWithoutLogin::withoutRight)
                .tag("missing", "right")
                .register(meters);
        return clients;
    }

    @Bean
    SecretFolder secretFolder(DataFolder folder) {
        return new SecretFolder(folder.path());
    }

    @Bean
    SigningKeyStore signingKeyStore(
            AuthSettings settings, SecretFolder secrets, Database database, SecretStore shared, Clock clock) {
        // The operator gives a secret in the settings to all nodes.
        return database instanceof RemoteDatabase && settings.secret() == null
                ? new SharedSigningKeys(shared, secrets, clock)
                : new FileSigningKeys(secrets, settings.secret());
    }

    @Bean
    SigningKeys signingKeys(AuthSettings settings, SigningKeyStore store, Clock clock) {
        if (!settings.enabled()) {
            // Nothing is signed, so no key is stored.
            return SigningKeys.of(new byte[SigningKeys.MIN_BYTES]);
        }
        return store.load(clock.millis() + settings.tokenTimeToLive().toMillis());
    }

    @Bean
    KeyRotation keyRotation(
            SigningKeyStore store, UserTokens tokens, Authenticator authenticator, Clock clock, SigningKeys keys) {
        return new KeyRotation(store, tokens, authenticator, clock, keys);
    }

    @Bean
    GroupKey groupKey(SecretStore shared, SecretFolder secrets, Environment environment) {
        return new GroupKey(shared, secrets, environment.getProperty(GroupKey.SETTING));
    }

    @Bean
    DatabaseConfiguration.SharedSecrets sharedSecrets(
            AccessPolicy policy, Database database, KeyRotation signing, GroupKey group) {
        if (!(database instanceof RemoteDatabase)) {
            return new DatabaseConfiguration.SharedSecrets(() -> {});
        }
        return new DatabaseConfiguration.SharedSecrets(() -> {
            if (policy.isEnabled()) {
                signing.reload();
            }
            group.reload();
        });
    }

    @Bean
    UserTokens userTokens(SigningKeys keys, AuthSettings settings, Clock clock) {
        return new UserTokens(keys, clock, settings.tokenTimeToLive());
    }

    @Bean
    JdbcAuditStore auditStore(StoreWriter writer, ReadConnections readers) {
        return new JdbcAuditStore(writer, readers);
    }

    @Bean
    Accounts accounts(StoreWriter writer, ReadConnections readers) {
        return new Accounts(new JdbcAccountStore(writer, readers));
    }

    @Bean
    AccountService accountService(
            StoreWriter writer,
            ReadConnections readers,
            DatabaseConfiguration.SmallTables copied,
            Accounts accounts,
            Clock clock,
            WorkPools pools) {
        return new AccountService(
                new JdbcAccountStore(writer, readers, copied.changed()),
                accounts,
                clock,
                pools.logins(),
                pools.queries());
    }

    @Bean
    LoginThrottle loginThrottle(AccessProperties properties, Clock clock) {
        return new LoginThrottle(
                new LoginThrottle.Limits(
                        properties.failures(),
                        properties.addressFailures(),
                        properties.userFailures(),
                        properties.firstWait(),
                        properties.longestWait()),
                clock);
    }

    @Bean
    Authenticator authenticator(
            Accounts accounts,
            UserTokens tokens,
            DirectoryConfiguration.Outside outside,
            LoginThrottle throttle,
            AuditStore audit,
            Clock clock,
            WorkPools pools) {
        Authenticator authenticator = new Authenticator(
                accounts, tokens, outside.issuer(), outside.directory(), throttle, audit, clock, pools.logins());
        outside.issuer().onWithdrawal(authenticator::forgetTokens);
        return authenticator;
    }

    @Bean
    FirstStart firstStart(
            Accounts accounts,
            AccountService service,
            SecretFolder secrets,
            AuditStore audit,
            StoreWriter writer,
            AccessProperties properties) {
        String chosen = properties.firstPasswordFile().trim();
        return new FirstStart(
                accounts,
                service,
                secrets,
                audit,
                () -> writer.circuit().cause() != null,
                chosen.isEmpty() ? null : new FirstPasswordFile(Path.of(chosen)));
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    AuditRetention auditRetention(
            AuditStore audit, AccessProperties properties, Clock clock, Timer timer, ClusterDuty duty) {
        return new AuditRetention(audit, properties.auditRetention(), clock, timer, duty);
    }

    @Bean(destroyMethod = "close")
    AccessLifecycle accessLifecycle(
            AccessPolicy policy,
            AccessProperties properties,
            FirstStart firstStart,
            WatchRevocation revocation,
            Timer timer,
            WorkPools pools,
            InternalTimings timings) {
        return new AccessLifecycle(
                policy, properties, firstStart, revocation, timer, pools.queries(), timings.accountRefresh());
    }

    @Bean
    WatchRevocation watchRevocation(
            Accounts accounts,
            ConnectionRegistry connections,
            ConfigListeners listeners,
            UdpSubscribers datagrams,
            XdsStreams mesh,
            Clock clock) {
        WatchRevocation revocation = new WatchRevocation(accounts, connections, listeners, datagrams, clock);
        revocation.checkAlso(mesh::recheck);
        accounts.onChange(revocation::check);
        return revocation;
    }

    @Bean
    RpcAuthorizer rpcAuthorizer(
            AccessPolicy policy,
            Authenticator authenticator,
            WatchRevocation revocation,
            RequestLimit requests,
            RefusedBeats refused,
            RegistryParts naming,
            ClientsWithoutLogin clients) {
        RpcAuthorizer authorizer = new RpcAuthorizer(policy, authenticator, requests, clients);
        authorizer.onRefusal(new RegistrationRefusals(refused, naming.reads()));
        authorizer.onRenewal(revocation::renewed);
        return authorizer;
    }

    @Bean
    HttpAudit httpAudit(AuditStore audit) {
        return new HttpAudit(audit);
    }

    @Bean
    HttpAuthorizer httpAuthorizer(
            AccessPolicy policy,
            Authenticator authenticator,
            AccessProperties properties,
            NacosSettings settings,
            RequestLimit requests,
            RefusedBeats refused,
            ClientsWithoutLogin clients) {
        boolean isLocal = settings.address().getAddress().isLoopbackAddress();
        HttpAuthorizer authorizer = new HttpAuthorizer(
                policy,
                authenticator,
                new TrustedProxies(properties.trustedProxies()),
                new CrossOriginGuard(isLocal && (!policy.isEnabled() || policy.isStaged()), properties.trustedHosts()),
                requests,
                clients);
        authorizer.onRefusal(new BeatRefusals(refused));
        return authorizer;
    }

    @Bean
    AccountActions accountActions(
            AccessPolicy policy,
            Authenticator authenticator,
            AccountService service,
            AuditStore audit,
            SecretFolder secrets,
            AccessProperties properties,
            WorkPools pools) {
        return new AccountActions(
                policy, authenticator, service, audit, secrets, pools.endpoints(), properties.requireCurrentPassword());
    }

    @Bean
    HttpRoutes accessRoutes(
            AccountActions actions,
            AuditStore audit,
            KeyRotation keys,
            Authenticator authenticator,
            DirectoryConfiguration.Outside outside,
            WorkPools pools,
            ContainerErrors errors) {
        Accounts accounts = actions.service().accounts();
        TokenActions tokens = new TokenActions(actions, audit, keys, pools.endpoints());
        return HttpRoutes.of(
                new io.cairn.server.http.v1.AuthEndpoints(actions).routes(),
                new io.cairn.server.http.v3.AuthEndpoints(
                                actions,
                                tokens,
                                new OwnAccess(accounts),
                                new TokenExplanation(authenticator, accounts),
                                new RuleActions(actions.service(), outside.issuer()),
                                errors)
                        .routes());
    }

    @Bean
    HttpRoutes withoutLoginRoutes(
            ClientsWithoutLogin clients,
            AccessPolicy policy,
            ClusterNodes self,
            ClusterReads nodes,
            ReadPool queryReads,
            ContainerErrors errors) {
        WithoutLoginReads reads =
                new WithoutLoginReads(clients, policy, () -> self.self().toString(), nodes, queryReads);
        return HttpRoutes.of(new WithoutLoginEndpoints(reads, errors).adminRoutes());
    }

    @Bean
    HttpRoutes groupKeyRoutes(Database database, GroupKey group, WorkPools pools, ContainerErrors errors) {
        Runnable rotation = database instanceof RemoteDatabase
                ? group::rotate
                : () -> {
                    throw new CairnException(
                            ErrorCode.UNSUPPORTED,
                            "this server shares its database with no other node, so there is no key between nodes"
                                    + " (expected: spring.sql.init.platform=" + DatabaseProducts.platforms() + ")");
                };
        return HttpRoutes.of(new GroupKeyEndpoints(rotation, pools.endpoints(), errors).adminRoutes());
    }
}
