package io.cairn.server.compatibility;

import java.util.List;
import java.util.Set;

/** The time limits of official clients, which the build file sets for the test JVM. */
final class ClientSettings {
    private static final Set<String> REQUESTS = Set.of("configRequestTimeout", "namingRequestTimeout");
    private static final String CONNECTIONS = "nacos.remote.client.grpc.";

    private ClientSettings() {}

    /** The same limits for a client in another JVM, as its arguments. */
    static List<String> arguments() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> REQUESTS.contains(name) || name.startsWith(CONNECTIONS))
                .sorted()
                .map(name -> "-D" + name + "=" + System.getProperty(name))
                .toList();
    }
}
