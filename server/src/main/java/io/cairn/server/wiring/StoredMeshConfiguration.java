package io.cairn.server.wiring;

import io.cairn.server.config.ConfigView;
import io.cairn.server.config.validation.RequiredCheck;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.v3.MeshCheckEndpoint;
import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.StoredResourceCheck;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.storage.config.JdbcConfigQueryStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.XdsProperties;
import io.cairn.server.xds.resource.KnownNames;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
class StoredMeshConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(StoredMeshConfiguration.class);
    private static final String DEFAULT_GROUP = "CAIRN_XDS";

    /** The optional module that reads resources; null if not installed. */
    record EnvoyModule(@Nullable EnvoyResources resources) {}

    @Bean
    EnvoyModule envoyModule(XdsProperties properties, Environment environment) {
        Path home = Path.of(environment.getProperty("cairn.home", ""));
        Path descriptors = properties.descriptorsFile(home);
        EnvoyResources resources = ServiceLoader.load(EnvoyResources.Provider.class)
                .findFirst()
                .map(provider -> provider.create(descriptors, properties.unknownFields()))
                .orElse(null);
        if (resources == null && !properties.group().isBlank()) {
            LOG.info(
                    "The module cairn-server-envoy is not installed: configurations of group {} are ordinary ones, and no"
                            + " proxy gets them",
                    properties.group().trim());
        }
        return new EnvoyModule(resources);
    }

    @Bean
    RequiredCheck storedResourceCheck(XdsProperties properties, EnvoyModule module) {
        EnvoyResources resources = module.resources();
        String group = properties.group().trim();
        return resources == null || group.isEmpty() ? RequiredCheck.NONE : new StoredResourceCheck(group, resources);
    }

    @Bean(destroyMethod = "close")
    StoredResources storedResources(
            XdsProperties properties, EnvoyModule module, ConfigView view, ReadConnections readers, Clock clock) {
        return new StoredResources(
                properties.group().trim(), module.resources(), view, new JdbcConfigQueryStore(readers), clock);
    }

    @Bean
    MeshCheckEndpoint meshCheckEndpoint(
            XdsProperties properties,
            StoredResources stored,
            ConfigView view,
            RegistryParts naming,
            WorkPools pools,
            ContainerErrors errors) {
        String group = properties.group().isBlank()
                ? DEFAULT_GROUP
                : properties.group().trim();
        KnownNames names = new KnownNames(group, view, naming.reads());
        return new MeshCheckEndpoint(group, stored, names, pools.validations(), errors);
    }
}
