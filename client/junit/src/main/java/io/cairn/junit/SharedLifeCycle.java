package io.cairn.junit;

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
 * Starts a server or a cluster before the first test that uses it, and stops it after the last.
 *
 * @param <S> the server or cluster
 */
abstract class SharedLifeCycle<S>
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedLifeCycle.class);

    private final Class<S> type;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<Scaffold> configs = new ArrayList<>();
    private volatile @Nullable S running;
    private final Object lock = new Object();
    // Guarded by the lock: classes that share a field may run concurrently.
    private int classes;
    private Map<String, String> started = Map.of();
    private final Set<Scaffold> published = new HashSet<>();

    SharedLifeCycle(Class<S> type) {
        this.type = type;
    }

    abstract S start(Class<?> test, Map<String, String> settings, List<Scaffold> configs);

    /** Rejects a class whose requirements differ from the running server or cluster. */
    abstract void check(Class<?> test, S running);

    abstract void publish(S to, Scaffold config);

    abstract void close(S over);

    abstract String[] settingsOf(Class<?> test);

    final void addSetting(String name, String value) {
        settings.put(name, value);
    }

    final void addConfig(String namespace, String dataId, String group, String content) {
        configs.add(new Scaffold(namespace, group, dataId, content, ""));
    }

    final S running() {
        S now = running;
        if (now == null) {
            throw new IllegalStateException(
                    "The server runs during the tests only; is the field a @RegisterExtension?");
        }
        return now;
    }

    @Override
    public final void beforeAll(ExtensionContext context) {
        synchronized (lock) {
            use(context.getRequiredTestClass());
            classes++;
            context.getStore(NAMESPACE).put(this, "used");
        }
    }

    @Override
    public final void beforeEach(ExtensionContext context) {
        synchronized (lock) {
            if (classes == 0) {
                use(context.getRequiredTestClass());
            }
        }
    }

    @Override
    public final void afterEach(ExtensionContext context) {
        synchronized (lock) {
            if (classes == 0) {
                stop();
            }
        }
    }

    @Override
    public final void afterAll(ExtensionContext context) {
        // A nested class ends before its outer class; other classes that share the field end in any order.
        synchronized (lock) {
            if (context.getStore(NAMESPACE).remove(this) != null && --classes == 0) {
                stop();
            }
        }
    }

    /** Starts the server or cluster, or adds the configurations of this class to the running one. */
    private void use(Class<?> test) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        Set<Scaffold> scaffolds = new LinkedHashSet<>(configs);
        for (Class<?> outer = test; outer != null; outer = outer.getEnclosingClass()) {
            read(outer, all, scaffolds);
        }
        S now = running;
        if (now == null) {
            running = start(test, all, List.copyOf(scaffolds));
            started = all;
            published.clear();
            published.addAll(scaffolds);
            return;
        }
        if (!all.equals(started)) {
            throw new IllegalStateException("settings of " + test.getName() + ": " + all + " (expected: " + started
                    + ", those of the server that it shares)");
        }
        check(test, now);
        for (Scaffold config : scaffolds) {
            if (published.add(config)) {
                publish(now, config);
            }
        }
    }

    private void read(Class<?> test, Map<String, String> into, Set<Scaffold> scaffolds) {
        for (String setting : settingsOf(test)) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "settings of " + test.getName() + ": '" + setting + "' (expected: name=value)");
            }
            into.putIfAbsent(setting.substring(0, equals).trim(), setting.substring(equals + 1));
        }
        for (CairnConfig config : test.getAnnotationsByType(CairnConfig.class)) {
            scaffolds.add(Scaffold.of(config, test));
        }
    }

    private void stop() {
        S over = running;
        running = null;
        if (over != null) {
            close(over);
        }
    }

    @Override
    public final boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == type && running != null;
    }

    @Override
    public final Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return running();
    }
}
