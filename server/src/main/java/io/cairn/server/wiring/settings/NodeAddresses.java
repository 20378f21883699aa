package io.cairn.server.wiring.settings;

import io.cairn.server.cluster.HostResolver;
import io.cairn.server.cluster.LookupSettings;
import io.cairn.server.cluster.NodeIdentity;
import io.cairn.server.cluster.OwnAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The settings by which a node finds its own addresses and the others. */
public final class NodeAddresses {

    private NodeAddresses() {}

    /** The address of the group port. Reads the list of the nodes, and no database. */
    public static InetSocketAddress groupAddress(Environment environment) {
        ClusterProperties properties = Binder.get(environment).bindOrCreate("cairn.cluster", ClusterProperties.class);
        return NodeIdentity.groupAddress(
                LookupSettings.read(property(environment)),
                folder(environment),
                NacosSettings.read(environment).address().getPort(),
                properties.port(),
                bindAddress(properties),
                ownAddress(environment),
                HostResolver.SYSTEM);
    }

    public static Function<String, @Nullable String> property(Environment environment) {
        return name -> NacosSettings.value(environment, name);
    }

    public static Path folder(Environment environment) {
        return Path.of(environment.getProperty("cairn.home", "")).resolve("conf");
    }

    public static OwnAddress ownAddress(Environment environment) {
        return new OwnAddress(
                OwnAddress.Preferences.read(property(environment)), OwnAddress.Machine.THIS, HostResolver.SYSTEM);
    }

    public static @Nullable String bindAddress(ClusterProperties properties) {
        return properties.bindAddress().isBlank() ? null : properties.bindAddress();
    }
}
