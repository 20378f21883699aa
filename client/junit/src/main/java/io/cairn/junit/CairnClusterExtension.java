package io.cairn.junit;

import io.cairn.junit.processes.TestDatabase;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts a cluster of Cairn servers before tests and stops it after them: once per class in a static field, otherwise once
 * per test. See {@link CairnCluster}.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final CairnClusterExtension cairn = new CairnClusterExtension(3)
 *         .config("orders.yaml", "DEFAULT_GROUP", "timeout: 3s")
 *         .setting("cairn.cluster.visible", "everywhere");
 * }</pre>
 *
 * <p>Classes that share a static field share its cluster while they run.
 */
public final class CairnClusterExtension extends SharedLifeCycle<CairnTestCluster> {

    private static final int MOST_NODES = 9;

    /** 0 for the number in the annotation. */
    private final int nodes;

    private @Nullable TestDatabase database;

    CairnClusterExtension() {
        super(CairnTestCluster.class);
        nodes = 0;
    }

    /** @param nodes the number of servers, 1–9 */
    public CairnClusterExtension(int nodes) {
        super(CairnTestCluster.class);
        this.nodes = checked(nodes);
    }

    private static int checked(int nodes) {
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("nodes: " + nodes + " (expected: 1-" + MOST_NODES + ')');
        }
        return nodes;
    }

    /** Sets a property of each server, as in application.properties. */
    public CairnClusterExtension setting(String name, String value) {
        addSetting(name, value);
        return this;
    }

    /** Adds a configuration of the default namespace, stored before the first test. */
    public CairnClusterExtension config(String dataId, String group, String content) {
        return config("", dataId, group, content);
    }

    /** Adds a configuration, stored before the first test. */
    public CairnClusterExtension config(String namespace, String dataId, String group, String content) {
        addConfig(namespace, dataId, group, content);
        return this;
    }

    /**
     * Uses an existing, empty schema of MySQL or MariaDB, which is not cleared afterwards.
     *
     * @param jdbcUrl such as {@code jdbc:mysql://127.0.0.1:3306/cairn_test}
     */
    public CairnClusterExtension database(String jdbcUrl, String user, String password) {
        database = new TestDatabase(jdbcUrl, user, password);
        return this;
    }

    /** @throws IllegalStateException outside the tests */
    public CairnTestCluster cluster() {
        return running();
    }

    /** The server addresses for a client; see {@link CairnTestCluster#addresses()}. */
    public String addresses() {
        return cluster().addresses();
    }

    @Override
    CairnTestCluster start(Class<?> test, Map<String, String> settings, List<Scaffold> configs) {
        TestDatabase named = database;
        return CairnTestCluster.start(
                nodesOf(test), named == null ? TestDatabase.newSchema() : named, settings, configs);
    }

    @Override
    void check(Class<?> test, CairnTestCluster running) {
        int wanted = nodesOf(test);
        int present = running.nodes().size();
        if (wanted != present) {
            throw new IllegalStateException("nodes of " + test.getName() + ": " + wanted + " (expected: " + present
                    + ", those of the cluster that it shares)");
        }
    }

    private int nodesOf(Class<?> test) {
        for (Class<?> outer = test; nodes == 0 && outer != null; outer = outer.getEnclosingClass()) {
            CairnCluster annotation = outer.getAnnotation(CairnCluster.class);
            if (annotation != null) {
                return checked(annotation.nodes());
            }
        }
        return nodes;
    }

    @Override
    void publish(CairnTestCluster to, Scaffold config) {
        to.publish(config);
    }

    @Override
    void close(CairnTestCluster over) {
        over.close();
    }

    @Override
    String[] settingsOf(Class<?> test) {
        CairnCluster annotation = test.getAnnotation(CairnCluster.class);
        return annotation == null ? new String[0] : annotation.settings();
    }
}
