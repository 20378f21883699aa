package io.cairn.junit;

import io.cairn.junit.CairnTestServer.Scaffold;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

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
 * of its own. Tests of one class may use it from several threads.
 */
public final class CairnExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(CairnExtension.class);

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<Scaffold> configs = new ArrayList<>();
    private volatile @Nullable CairnTestServer server;
    private volatile boolean ofTheClass;

    /** A server with nothing in it. */
    public CairnExtension() {}

    /** A setting of the server, as in its application.properties. */
    public CairnExtension setting(String name, String value) {
        settings.put(name, value);
        return this;
    }

    /** A configuration of the default namespace that is there before the first test runs. */
    public CairnExtension config(String dataId, String group, String content) {
        configs.add(new Scaffold("", group, dataId, content, ""));
        return this;
    }

    /** A configuration that is there before the first test runs. */
    public CairnExtension config(String namespace, String dataId, String group, String content) {
        configs.add(new Scaffold(namespace, group, dataId, content, ""));
        return this;
    }

    /**
     * The running server.
     *
     * @throws IllegalStateException before the first test and after the last one
     */
    public CairnTestServer server() {
        CairnTestServer running = server;
        if (running == null) {
            throw new IllegalStateException(
                    "The server runs during the tests only; is the field a @RegisterExtension?");
        }
        return running;
    }

    /** {@code host:port} for clients, as {@link CairnTestServer#address()}. */
    public String address() {
        return server().address();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        ofTheClass = true;
        start(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (!ofTheClass) {
            start(context);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (!ofTheClass) {
            stop();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        // Of a nested class the server of the class around it goes on.
        if (server != null && context.getStore(NAMESPACE).remove(this) != null) {
            stop();
            ofTheClass = false;
        }
    }

    private void start(ExtensionContext context) {
        if (server != null) {
            return;
        }
        Map<String, String> all = new LinkedHashMap<>(settings);
        List<Scaffold> scaffolds = new ArrayList<>(configs);
        Class<?> test = context.getRequiredTestClass();
        for (Class<?> outer = test; outer != null; outer = outer.getEnclosingClass()) {
            read(outer, all, scaffolds);
        }
        server = CairnTestServer.start(all, scaffolds);
        context.getStore(NAMESPACE).put(this, "started");
    }

    private static void read(Class<?> test, Map<String, String> settings, List<Scaffold> configs) {
        CairnTest annotation = test.getAnnotation(CairnTest.class);
        if (annotation != null) {
            for (String setting : annotation.settings()) {
                int equals = setting.indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException(
                            "@CairnTest(settings) of " + test.getName() + ": '" + setting + "' (expected: name=value)");
                }
                settings.putIfAbsent(setting.substring(0, equals).trim(), setting.substring(equals + 1));
            }
        }
        for (CairnConfig config : test.getAnnotationsByType(CairnConfig.class)) {
            configs.add(Scaffold.of(config, test));
        }
    }

    private void stop() {
        CairnTestServer running = server;
        server = null;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == CairnTestServer.class && server != null;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return server();
    }
}
