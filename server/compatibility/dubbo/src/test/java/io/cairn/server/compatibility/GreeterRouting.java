package io.cairn.server.compatibility;

/** Routing rules of {@link Greeter} in the config center. */
final class GreeterRouting {
    static final String GROUP = "dubbo";

    private GreeterRouting() {}

    /** The name of the configuration with the rule of this version. */
    static String dataId(String version) {
        return Greeter.class.getName() + ":" + version + ":.condition-router";
    }

    /** A rule by which all calls go to the provider at this port. */
    static String toPort(int port) {
        return """
                configVersion: v3.0
                scope: service
                force: true
                enabled: true
                runtime: true
                key: %s
                conditions:
                  - '=> port = %d'
                """.formatted(Greeter.class.getName(), port);
    }
}
