package io.cairn.junit;

import io.cairn.junit.CairnTestServer.Scaffold;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * of its own. Tests of one class may use it from several threads. Classes that share a static field, nested ones among
 * them, share its server while they run together: each brings its configurations, and all have the same settings.
 */
public final class CairnExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(CairnExtension.class);

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<Scaffold> configs = new ArrayList<>();
    private volatile @Nullable CairnTestServer server;
    private final Object lock = new Object();
    // Guarded by the lock: classes that share a field may run at the same time.
    private int classes;
    private Map<String, String> started = Map.of();
    private final Set<Scaffold> published = new HashSet<>();

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
        synchronized (lock) {
            use(context.getRequiredTestClass());
            classes++;
            context.getStore(NAMESPACE).put(this, "used");
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        synchronized (lock) {
            if (classes == 0) {
                use(context.getRequiredTestClass());
            }
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        synchronized (lock) {
            if (classes == 0) {
                stop();
            }
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        // A nested class ends before the one around it, another class that shares the field whenever it does.
        synchronized (lock) {
            if (context.getStore(NAMESPACE).remove(this) != null && --classes == 0) {
                stop();
            }
        }
    }

    /** Starts the server for a test class, or brings what this class asks for beyond what the running one has. */
    private void use(Class<?> test) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        Set<Scaffold> scaffolds = new LinkedHashSet<>(configs);
        for (Class<?> outer = test; outer != null; outer = outer.getEnclosingClass()) {
            read(outer, all, scaffolds);
        }
        CairnTestServer running = server;
        if (running == null) {
            server = CairnTestServer.start(all, List.copyOf(scaffolds));
            started = all;
            published.clear();
            published.addAll(scaffolds);
            return;
        }
        if (!all.equals(started)) {
            throw new IllegalStateException("settings of " + test.getName() + ": " + all + " (expected: " + started
                    + ", those of the server that it shares)");
        }
        for (Scaffold config : scaffolds) {
            if (published.add(config)) {
                running.publish(config);
            }
        }
    }

    private static void read(Class<?> test, Map<String, String> settings, Set<Scaffold> configs) {
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
