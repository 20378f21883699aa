package io.cairn.server.nodes.load;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.listener.NamingEvent;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.nodes.ClusterOfProcesses;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Clients of a cluster: official clients that register and listen, clients over HTTP whose beats go to any node, a publisher, and a
 * watcher for each node that reads the list of instances all the time.
 */
public final class ClusterLoad implements AutoCloseable {

    public static final String SERVICE = "shop";

    private static final String GROUP = "DEFAULT_GROUP";
    static final int CONFIGS = 6;
    private static final JsonMapper JSON = new JsonMapper();

    private final ClusterOfProcesses cluster;
    private final int httpInstances;
    private final int instances;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final List<NamingService> registered = new ArrayList<>();
    private final List<ConfigService> listening = new ArrayList<>();
    private final List<Map<String, Integer>> heard = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    /** Of acknowledged publishes. Its own lock protects it. */
    private final BitSet answered = new BitSet();

    private final AtomicInteger acknowledgements = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    /** The last published number. */
    private final AtomicInteger number = new AtomicInteger();
    /** Held for each publish: the publisher pauses between publishes. */
    private final Object publishTurn = new Object();

    private volatile boolean publishing = true;
    private volatile boolean running = true;
    private volatile boolean watching;
    /** Then a listener that moves from a node ahead may be notified of an older content once more. */
    private volatile boolean databaseAway;

    /**
     * Registers the instances; returns when each node lists all of them.
     *
     * @param grpcClients official clients; each registers one instance, and listens to all configurations
     * @param httpInstances instances that beat over HTTP, each time to another node
     */
    public ClusterLoad(ClusterOfProcesses cluster, int grpcClients, int httpInstances) throws NacosException {
        this.cluster = cluster;
        this.httpInstances = httpInstances;
        this.instances = grpcClients + httpInstances;
        for (int i = 0; i < grpcClients; i++) {
            NamingService naming = NacosFactory.createNamingService(properties());
            registered.add(naming);
            naming.registerInstance(SERVICE, "10.1.0." + (i + 1), 8080);
            naming.subscribe(SERVICE, event -> {
                if (event instanceof NamingEvent change && watching) {
                    check("a subscriber", change.getInstances().size());
                }
            });
            ConfigService configs = NacosFactory.createConfigService(properties());
            listening.add(configs);
            Map<String, Integer> contents = new ConcurrentHashMap<>();
            heard.add(contents);
            for (int config = 0; config < CONFIGS; config++) {
                listen(configs, dataId(config), contents);
            }
        }
        start(this::beat);
        start(this::publish);
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            start(() -> watch(index));
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.setProperty(PropertyKeyConst.SERVER_ADDR, cluster.addresses());
        return properties;
    }

    public static String publishPath(String dataId, String content) {
        return configPath(dataId) + "&content=" + content;
    }

    private static String configPath(String dataId) {
        return "/nacos/v1/cs/configs?group=" + GROUP + "&dataId=" + dataId;
    }

    private static String dataId(int number) {
        return "config-" + number;
    }

    private void listen(ConfigService configs, String dataId, Map<String, Integer> contents) throws NacosException {
        int client = listening.size();
        configs.addListener(dataId, GROUP, new AbstractListener() {
            @Override
            public void receiveConfigInfo(String content) {
                int now = Integer.parseInt(content);
                Integer before = contents.put(dataId, now);
                if (before != null && now < before && isInOrder(now) && !databaseAway) {
                    violations.add(Instant.now() + ": listener " + client + " of " + dataId + " was notified of " + now
                            + " after " + before);
                }
            }
        });
    }

    /**
     * Whether the publish of that number was answered before the next one began. One without an answer may have been stored after later
     * ones.
     */
    private boolean isInOrder(int published) {
        synchronized (answered) {
            return answered.get(published);
        }
    }

    private void start(Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        violations.add("defect of the test: " + e);
                    }
                },
                "cluster-load");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void publish() {
        while (running) {
            synchronized (publishTurn) {
                if (publishing) {
                    int next = number.incrementAndGet();
                    if (publish(dataId(next % CONFIGS), next).equals("true")) {
                        acknowledgements.incrementAndGet();
                    } else {
                        refusals.incrementAndGet();
                    }
                }
            }
            pause(10);
        }
    }

    private String publish(String dataId, int content) {
        String answer = post(anyServing(), publishPath(dataId, Integer.toString(content)));
        if (answer.equals("true")) {
            acknowledged.put(dataId, content);
            synchronized (answered) {
                answered.set(content);
            }
        }
        return answer;
    }

    /** As clients of generation 1: each instance registers when the node does not know it. */
    private void beat() {
        while (running) {
            for (int i = 0; i < httpInstances && running; i++) {
                String ip = "10.2.0." + (i + 1);
                String beat = "%7B%22ip%22%3A%22" + ip + "%22%2C%22port%22%3A8080%2C%22serviceName%22%3A%22" + GROUP
                        + "%40%40" + SERVICE + "%22%2C%22cluster%22%3A%22DEFAULT%22%7D";
                String answer = send(HttpRequest.newBuilder(uri(
                                anyServing(),
                                "/nacos/v1/ns/instance/beat?serviceName=" + GROUP + "%40%40" + SERVICE + "&ip=" + ip
                                        + "&port=8080&beat=" + beat))
                        .PUT(HttpRequest.BodyPublishers.noBody()));
                if (answer.contains("20404")) {
                    post(
                            anyServing(),
                            "/nacos/v1/ns/instance?serviceName=" + SERVICE + "&ip=" + ip + "&port=8080&ephemeral=true");
                }
            }
            pause(1_000);
        }
    }

    private void watch(int node) {
        while (running) {
            if (watching && cluster.isServing(node)) {
                int listed = listed(node);
                if (listed >= 0) {
                    check("node " + node, listed);
                }
            }
            pause(50);
        }
    }

    private void check(String where, int listed) {
        if (listed < instances) {
            violations.add(Instant.now() + ": " + where + " lists " + listed + " of " + instances);
        }
    }

    void beginWatching() {
        watching = true;
    }

    /** Healthy instances; -1 without an answer. */
    int listed(int node) {
        return listed(node, SERVICE);
    }

    public int listed(int node, String service) {
        String answer = send(
                HttpRequest.newBuilder(uri(node, "/nacos/v1/ns/instance/list?healthyOnly=true&serviceName=" + service))
                        .GET());
        if (!answer.startsWith("{")) {
            return -1;
        }
        JsonNode hosts = JSON.readTree(answer).path("hosts");
        return hosts.isArray() ? hosts.size() : -1;
    }

    /** By configuration, or 0. */
    Map<String, Integer> shown(int node) {
        Map<String, Integer> all = new TreeMap<>();
        for (int config = 0; config < CONFIGS; config++) {
            String content = content(node, dataId(config));
            all.put(dataId(config), content.matches("\\d+") ? Integer.parseInt(content) : 0);
        }
        return all;
    }

    public String content(int node, String dataId) {
        return send(HttpRequest.newBuilder(uri(node, configPath(dataId))).GET(), PATIENCE);
    }

    /** A read that is sent now and answered when the node runs again. An answer that may be old is the name of its header. */
    public CompletableFuture<String> contentOnceItRuns(int node, String dataId) {
        return http.sendAsync(
                        HttpRequest.newBuilder(uri(node, configPath(dataId)))
                                .timeout(PATIENCE)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .thenApply(answer -> answer.headers()
                        .firstValue(RevisionHeaders.STALE)
                        .map(seconds -> RevisionHeaders.STALE)
                        .orElseGet(answer::body));
    }

    public String publish(int node, String dataId, String content) {
        return send(
                HttpRequest.newBuilder(uri(node, publishPath(dataId, content)))
                        .POST(HttpRequest.BodyPublishers.noBody()),
                PATIENCE);
    }

    int instances() {
        return instances;
    }

    /** Lists without an instance, notifications of an older content, and defects of the test. */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /** Before the database is killed. */
    public void databaseGoesAway() {
        databaseAway = true;
    }

    /** After the database was started; returns when a publish is acknowledged. */
    public void databaseIsBack() {
        int before = acknowledgements();
        await().until(() -> acknowledgements() > before);
        databaseAway = false;
    }

    public int acknowledgements() {
        return acknowledgements.get();
    }

    public int refusals() {
        return refusals.get();
    }

    Map<String, Integer> acknowledged() {
        return new TreeMap<>(acknowledged);
    }

    /** By listener and configuration. */
    List<Map<String, Integer>> heard() {
        return heard.stream().<Map<String, Integer>>map(TreeMap::new).toList();
    }

    /** Returns when no publish is under way. */
    void pausePublishing() {
        publishing = false;
        synchronized (publishTurn) {
            // Empty: only waits.
        }
    }

    /** Pauses the publisher, and publishes each configuration once more. */
    void finishPublishing() {
        pausePublishing();
        synchronized (publishTurn) {
            int last = number.incrementAndGet();
            for (int config = 0; config < CONFIGS; config++) {
                String dataId = dataId(config);
                // Again where no answer came in time on a busy machine: the content is the same.
                await().untilAsserted(() ->
                        assertThat(publish(dataId, last)).as(dataId).isEqualTo("true"));
            }
        }
    }

    public void resumePublishing() {
        publishing = true;
    }

    private int anyServing() {
        while (true) {
            int node = ThreadLocalRandom.current().nextInt(cluster.size());
            if (cluster.isServing(node)) {
                return node;
            }
        }
    }

    private URI uri(int node, String path) {
        return URI.create("http://127.0.0.1:" + cluster.httpPort(node) + path);
    }

    private String post(int node, String path) {
        return send(HttpRequest.newBuilder(uri(node, path)).POST(HttpRequest.BodyPublishers.noBody()));
    }

    /** As clients do, which give up on a node that hangs. */
    private String send(HttpRequest.Builder request) {
        return send(request, Duration.ofSeconds(3));
    }

    /** The body of the answer, or the error. */
    private String send(HttpRequest.Builder request, Duration limit) {
        try {
            return http.send(request.timeout(limit).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            return "no answer: " + e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws Exception {
        running = false;
        publishing = false;
        watching = false;
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis());
        }
        for (NamingService naming : registered) {
            naming.shutDown();
        }
        for (ConfigService configs : listening) {
            configs.shutDown();
        }
    }
}
