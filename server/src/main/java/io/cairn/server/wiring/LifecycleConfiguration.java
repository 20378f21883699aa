package io.cairn.server.wiring;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Directory;
import io.cairn.server.auth.IssuerLogin;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.storage.config.JdbcConfigStore;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.wiring.lifecycle.AccessLifecycle;
import io.cairn.server.wiring.lifecycle.ClusterLifecycle;
import io.cairn.server.wiring.lifecycle.DatabaseLifecycle;
import io.cairn.server.wiring.lifecycle.Drain;
import io.cairn.server.wiring.lifecycle.HeldRequests;
import io.cairn.server.wiring.lifecycle.NamingLifecycle;
import io.cairn.server.wiring.lifecycle.ServerLifecycle;
import io.cairn.server.wiring.lifecycle.ServerPhase;
import io.cairn.server.wiring.lifecycle.ServerPorts;
import io.cairn.server.wiring.lifecycle.ShownSettings;
import io.cairn.server.wiring.lifecycle.StoreHealth;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.ClusterProperties;
import io.cairn.server.wiring.settings.DatabaseSettings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.xds.XdsStreams;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LifecycleConfiguration {

    @Bean
    ServerPhase serverPhase() {
        return new ServerPhase();
    }

    @Bean
    ShownSettings shownSettings(
            CairnProperties properties,
            NacosSettings settings,
            DatabaseSettings database,
            AccessPolicy access,
            IssuerLogin login,
            Directory directory,
            ClusterLifecycle cluster) {
        String ofPasswords = directory == Directory.NONE ? "nacos" : "ldap";
        return new ShownSettings(
                properties, settings, database, access, login.offer() == null ? ofPasswords : "oidc", cluster.isNode());
    }

    @Bean
    StoreHealth storeHealth(
            ServerPhase phase,
            JdbcConfigStore store,
            StoreWriter writer,
            Database stored,
            DatabaseLifecycle database,
            ClusterLifecycle cluster,
            ShownSettings settings) {
        return new StoreHealth(phase, store, writer, stored.damage(), database, cluster, settings);
    }

    @Bean
    Drain.Patience drainPatience(CairnProperties properties, ClusterProperties cluster) {
        return new Drain.Patience(properties.shutdown().drain(), cluster.drainTimeout());
    }

    @Bean
    HeldRequests heldRequests(ConfigListeners listeners, EventHub events) {
        return new HeldRequests(listeners, events);
    }

    @Bean
    Drain drain(
            Drain.Patience patience,
            ClusterLifecycle cluster,
            ServerPorts ports,
            ConnectionRegistry connections,
            HeldRequests held,
            RegistryParts naming,
            XdsStreams mesh) {
        return new Drain(patience, cluster, ports, connections, held, naming.registry(), mesh);
    }

    @Bean
    ServerLifecycle serverLifecycle(
            DatabaseLifecycle database,
            AccessLifecycle access,
            PushDispatcher<ConfigKey> dispatcher,
            NamingLifecycle naming,
            ClusterLifecycle cluster,
            ServerPorts ports,
            Drain drain) {
        return new ServerLifecycle(database, access, dispatcher, naming, cluster, ports, drain);
    }
}
