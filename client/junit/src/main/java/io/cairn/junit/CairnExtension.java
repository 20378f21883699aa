package io.cairn.junit;

import java.util.List;
import java.util.Map;

/**
 * Starts a Cairn server for tests and stops it after them. In a static field it lives as long as the class, in any other
 * as long as one test; {@link CairnTest} is the same without a field.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final CairnExtension cairn = new CairnExtension()
 *         .config("orders.yaml", "DEFAULT_GROUP", "timeout: 3s")
 *         .setting("nacos.core.auth.enabled", "false");
 * }</pre>
 *
 * <p>The server's classes come out of this jar and are seen by nobody else, so a test may have any Spring, Netty or gRPC
 * of its own. Tests of one class may use it from several threads. Classes that share a static field, nested ones among
 * them, share its server while they run together: each brings its configurations, and all have the same settings.
 */
public final class CairnExtension extends SharedLifeCycle<CairnTestServer> {

    /** A server with nothing in it. */
    public CairnExtension() {
        super(CairnTestServer.class);
    }

    /** A setting of the server, as in its application.properties. */
    public CairnExtension setting(String name, String value) {
        addSetting(name, value);
        return this;
    }

    /** A configuration of the default namespace that is there before the first test runs. */
    public CairnExtension config(String dataId, String group, String content) {
        return config("", dataId, group, content);
    }

    /** A configuration that is there before the first test runs. */
    public CairnExtension config(String namespace, String dataId, String group, String content) {
        addConfig(namespace, dataId, group, content);
        return this;
    }

    /**
     * The running server.
     *
     * @throws IllegalStateException before the first test and after the last one
     */
    public CairnTestServer server() {
        return running();
    }

    /** {@code host:port} for clients, as {@link CairnTestServer#address()}. */
    public String address() {
        return server().address();
    }

    @Override
    CairnTestServer start(Class<?> test, Map<String, String> settings, List<Scaffold> configs) {
        return CairnTestServer.start(settings, configs);
    }

    @Override
    void check(Class<?> test, CairnTestServer running) {
        // The settings are all that a class can ask for.
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
