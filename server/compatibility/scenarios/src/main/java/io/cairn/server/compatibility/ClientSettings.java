package io.cairn.server.compatibility;

import java.util.List;
import java.util.Set;

/** Time limits of official clients, from the build file. */
final class ClientSettings {
    private static final Set<String> REQUESTS = Set.of("configRequestTimeout", "namingRequestTimeout");
    private static final String CONNECTIONS = "nacos.remote.client.grpc.";

    private ClientSettings() {}

    /** Of a JVM with the same limits. */
    static List<String> arguments() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> REQUESTS.contains(name) || name.startsWith(CONNECTIONS))
                .sorted()
                .map(name -> "-D" + name + "=" + System.getProperty(name))
                .toList();
    }
}
