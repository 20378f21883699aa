package io.cairn.junit;

import java.util.List;
import java.util.Map;

/**
 * Starts a Cairn server before tests and stops it after them: once per class in a static field, otherwise once per test.
 * See {@link CairnTest}. Thread-safe.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final CairnExtension cairn = new CairnExtension()
 *         .config("orders.yaml", "DEFAULT_GROUP", "timeout: 3s")
 *         .setting("nacos.core.auth.enabled", "false");
 * }</pre>
 *
 * <p>The server's classes are isolated, so a test may use any version of Spring, Netty or gRPC. Classes that share a static
 * field share its server; each adds its configurations, and their settings must be equal.
 */
public final class CairnExtension extends SharedLifeCycle<CairnTestServer> {

    public CairnExtension() {
        super(CairnTestServer.class);
    }

    /** Sets a property of the server, as in application.properties. */
    public CairnExtension setting(String name, String value) {
        addSetting(name, value);
        return this;
    }

    /** Adds a configuration of the default namespace, stored before the first test. */
    public CairnExtension config(String dataId, String group, String content) {
        return config("", dataId, group, content);
    }

    /** Adds a configuration, stored before the first test. */
    public CairnExtension config(String namespace, String dataId, String group, String content) {
        addConfig(namespace, dataId, group, content);
        return this;
    }

    /** @throws IllegalStateException outside the tests */
    public CairnTestServer server() {
        return running();
    }

    /** The server address for a client; see {@link CairnTestServer#address()}. */
    public String address() {
        return server().address();
    }

    @Override
    CairnTestServer start(Class<?> test, Map<String, String> settings, List<Scaffold> configs) {
        return CairnTestServer.start(settings, configs);
    }

    @Override
    void check(Class<?> test, CairnTestServer running) {
        // A class can require settings only, which the caller compares.
    }

    @Override
    void publish(CairnTestServer to, Scaffold config) {
        to.publish(config);
    }

    @Override
    void close(CairnTestServer over) {
        over.close();
    }

    @Override
    String[] settingsOf(Class<?> test) {
        CairnTest annotation = test.getAnnotation(CairnTest.class);
        return annotation == null ? new String[0] : annotation.settings();
    }
}
