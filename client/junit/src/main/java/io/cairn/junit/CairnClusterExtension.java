package io.cairn.junit;

import io.cairn.junit.processes.TestDatabase;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts a cluster of Cairn servers for tests and stops it after them. In a static field it lives as long as the class, in any
 * other as long as one test; {@link CairnCluster} is the same without a field.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final CairnClusterExtension cairn = new CairnClusterExtension(3)
 *         .config("orders.yaml", "DEFAULT_GROUP", "timeout: 3s")
 *         .setting("cairn.cluster.visible", "everywhere");
 * }</pre>
 *
 * <p>Each server is a process of its own that ends with this JVM, however that ends. Classes that share a static field share its
 * cluster while they run together.
 */
public final class CairnClusterExtension extends SharedLifeCycle<CairnTestCluster> {

    private static final int MOST_NODES = 9;

    /** 0 for as many as the annotation says. */
    private final int nodes;

    private @Nullable TestDatabase database;

    /** For {@link CairnCluster}, which says how many servers there are. */
    CairnClusterExtension() {
        super(CairnTestCluster.class);
        nodes = 0;
    }

    /**
     * A cluster with nothing in it.
     *
     * @param nodes how many servers, from 1 to 9
     */
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

    /** A setting of each server, as in its application.properties. */
    public CairnClusterExtension setting(String name, String value) {
        addSetting(name, value);
        return this;
    }

    /** A configuration of the default namespace that is there before the first test runs. */
    public CairnClusterExtension config(String dataId, String group, String content) {
        return config("", dataId, group, content);
    }

    /** A configuration that is there before the first test runs. */
    public CairnClusterExtension config(String namespace, String dataId, String group, String content) {
        addConfig(namespace, dataId, group, content);
        return this;
    }

    /**
     * Uses that schema of a MySQL or MariaDB that runs already, in the place of one that is started for the tests. It should be
     * empty; nobody clears it afterwards.
     *
     * @param jdbcUrl such as {@code jdbc:mysql://127.0.0.1:3306/cairn_test}
     */
    public CairnClusterExtension database(String jdbcUrl, String user, String password) {
        database = new TestDatabase(jdbcUrl, user, password);
        return this;
    }

    /**
     * The running cluster.
     *
     * @throws IllegalStateException before the first test and after the last one
     */
    public CairnTestCluster cluster() {
        return running();
    }

    /** {@code host:port} of all servers for clients, as {@link CairnTestCluster#addresses()}. */
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
