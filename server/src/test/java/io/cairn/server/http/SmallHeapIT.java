package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.ChildServer;
import io.cairn.server.support.LongLease;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.RawHttp2;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * All endpoints that read, on a server whose heap is too small for a few of their responses at once. The requests are made of the reference
 * of the API, so an endpoint that is added is among them.
 */
@Tag("full")
class SmallHeapIT {

    private static final String HEAP = "72m";
    private static final int CONFIGS = 120;
    private static final int CONTENT_BYTES = 100_000;
    private static final int LARGE_BYTES = 2_500_000;
    private static final int INSTANCES = 60;
    private static final int PAGE_SIZE = 9_999;
    private static final int AT_ONCE = 8;
    private static final int ROUNDS = 2;
    private static final int DEAF = 12;
    private static final String LIMIT = "cairn.limits.unread-answers";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Parameters that say what is read; all others are left out. */
    private static final Map<String, String> VALUES = new LinkedHashMap<>();

    /** Parameters that make another request of an endpoint that has all of them. */
    private static final List<Map<String, String>> VARIANTS = List.of(
            Map.of("dataId", ""),
            Map.of("dataId", "", "search", "accurate"),
            Map.of("dataId", "", "search", "blur"),
            Map.of("show", "all"),
            Map.of("beta", "true"),
            Map.of("dataId", "", "export", "true"),
            Map.of("dataId", "", "exportV2", "true"),
            Map.of("withInstances", "true"),
            Map.of("withCounts", "true"));

    /** Parameters that narrow a list down, or say how it is shown. */
    private static final Set<String> LEFT_OUT = Set.of(
            "accurate",
            "action",
            "address",
            "aggregation",
            "all",
            "app",
            "appName",
            "audit",
            "beta",
            "checkNamespaceIdExist",
            "clientIP",
            "clone",
            "cluster",
            "clusters",
            "code",
            "configDetail",
            "configTags",
            "config_detail",
            "config_tags",
            "containedInstance",
            "count",
            "customNamespaceId",
            "delType",
            "detail",
            "enabledOnly",
            "env",
            "ephemeral",
            "error",
            "export",
            "exportV2",
            "expr",
            "flavour",
            "from",
            "groupNameParam",
            "hasIpCount",
            "health",
            "healthy",
            "healthyOnly",
            "history",
            "idToken",
            "ids",
            "ignoreEmptyService",
            "import",
            "instance",
            "isCheck",
            "iss",
            "key",
            "keyword",
            "language",
            "loaderFactor",
            "node",
            "onlyStatus",
            "order",
            "proxy",
            "redirect",
            "redirectAddress",
            "reset",
            "role",
            "sampleTime",
            "search",
            "serviceNameParam",
            "show",
            "sort",
            "sql",
            "state",
            "tag",
            "target",
            "tid",
            "to",
            "type",
            "types",
            "udpPort",
            "until",
            "username",
            "view",
            "who",
            "withCounts",
            "withInstances");

    @TempDir
    static Path home;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ExecutorService CALLERS = Executors.newFixedThreadPool(AT_ONCE);
    private static ChildServer server;

    @BeforeAll
    static void fill() throws Exception {
        server = ChildServer.startWithHeap(
                HEAP, home, "--nacos.prometheus.metrics.enabled=true", "--cairn.store.read-threads=2");
        List<Future<?>> stored = new ArrayList<>();
        for (int i = 0; i < CONFIGS; i++) {
            int number = i;
            stored.add(CALLERS.submit(() -> publish("config-" + number, number + ":" + text(CONTENT_BYTES), "")));
        }
        for (int i = 0; i < INSTANCES; i++) {
            String query =
                    "serviceName=s&ip=10.0.0." + i + "&port=80&metadata=" + encoded(LongLease.and("text", text(900)));
            stored.add(CALLERS.submit(() -> post("/v1/ns/instance?" + query, "")));
        }
        for (Future<?> each : stored) {
            each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        publish("large", "1:" + text(LARGE_BYTES), "");
        publish("large", "2:" + text(LARGE_BYTES), "");
        publish("large", "3:" + text(LARGE_BYTES), "10.0.0.1");
        JsonNode changes =
                JSON.readTree(text("/v1/cs/history?search=accurate&dataId=large&group=G&pageNo=1&pageSize=9"));
        VALUES.putAll(Map.of("dataId", "large", "group", "G", "groupName", "G", "tenant", "", "namespaceId", ""));
        VALUES.putAll(
                Map.of("serviceName", "DEFAULT_GROUP@@s", "clusterName", "DEFAULT", "ip", "10.0.0.1", "port", "80"));
        VALUES.putAll(Map.of("pageNo", "1", "pageSize", Integer.toString(PAGE_SIZE), "name", "nobody"));
        VALUES.putAll(Map.of("resource", "public:*:*", "clientId", "10.0.0.1:80#true", "connectionId", "none"));
        VALUES.put("nid", changes.at("/pageItems/1/id").asString());
        VALUES.put(
                "id",
                JSON.readTree(text("/v1/cs/configs?show=all&dataId=large&group=G"))
                        .path("id")
                        .asString());
        VALUES.put("time", Long.toString(System.currentTimeMillis()));
        VALUES.putAll(Map.of("grayName", "canary", "grayType", "percentage", "grayRuleExp", "100"));
        VALUES.putAll(Map.of("grayVersion", "1.0.0", "grayPriority", "0"));
        VALUES.put("connectionIds", "none");
        VALUES.put("rest", "DEFAULT_GROUP@@s");
        VALUES.putAll(Map.of("entry", "10.0.0.1", "label", "site"));
    }

    @AfterAll
    static void stop() {
        CALLERS.shutdownNow();
        if (server != null) {
            server.close();
        }
    }

    private static String text(int bytes) {
        return "0123456789".repeat(bytes / 10);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    private static void publish(String dataId, String content, String betaIps) {
        String form = "dataId=" + dataId + "&group=G&content=" + content;
        assertThat(post("/v1/cs/configs", form, "betaIps", betaIps)).isEqualTo("true");
    }

    private static String post(String path, String form, String... header) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        if (header.length > 0 && !header[1].isEmpty()) {
            request.header(header[0], header[1]);
        }
        return send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    private static String text(String path) {
        return send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path);
    }

    private static <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return HTTP.send(request, handler);
        } catch (IOException e) {
            throw new AssertionError(
                    request.uri() + ": " + e + "; server " + (server.isAlive() ? "alive" : "gone") + server.errors(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** All requests by {@code GET} that the reference knows, but streams of events. */
    private static List<String> requests() {
        Set<String> requests = new LinkedHashSet<>();
        JsonNode paths = JSON.readTree(text("/v3/openapi.json")).path("paths");
        paths.properties().forEach(path -> {
            JsonNode operation = path.getValue().path("get");
            if (operation.isMissingNode()
                    || operation.at("/responses/200/content").has("text/event-stream")) {
                return;
            }
            List<String> names = operation
                    .path("parameters")
                    .valueStream()
                    .filter(parameter -> !parameter.path("in").asString().equals("header"))
                    .map(parameter -> parameter.path("name").asString())
                    .toList();
            assertThat(names)
                    .as("parameters of %s that have a value in this test", path.getKey())
                    .allMatch(name -> VALUES.containsKey(name) || LEFT_OUT.contains(name));
            requests.add(request(path.getKey(), names, Map.of()));
            VARIANTS.stream()
                    .filter(variant -> names.containsAll(variant.keySet()))
                    .forEach(variant -> requests.add(request(path.getKey(), names, variant)));
        });
        requests.add("/prometheus");
        return List.copyOf(requests);
    }

    private static String request(String path, List<String> names, Map<String, String> variant) {
        Map<String, String> values = new LinkedHashMap<>(VALUES);
        values.putAll(variant);
        return path.replace("{rest}", encoded(VALUES.get("rest")))
                + names.stream()
                        .filter(values::containsKey)
                        .filter(name -> !name.equals("rest"))
                        .map(name -> name + '=' + encoded(values.get(name)))
                        .collect(Collectors.joining("&", "?", ""));
    }

    /**
     * A response that was read to its end.
     *
     * @param refusal the text of a small one that is not of status 200
     */
    private record Answer(int status, long total, long items, String refusal) {}

    private static Answer get(String path) {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofSeconds(120))
                .build();
        HttpResponse<InputStream> response = send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() != 200) {
                return new Answer(response.statusCode(), 0, 0, new String(body.readAllBytes(), UTF_8));
            }
            String type = response.headers().firstValue("Content-Type").orElse("");
            if (!type.startsWith("application/json")) {
                body.skip(Long.MAX_VALUE);
                return new Answer(200, 0, 0, "");
            }
            return page(body);
        } catch (IOException e) {
            throw new AssertionError(path + ": " + e, e);
        }
    }

    /** Reads JSON to its end; notes the entries of a page. */
    private static Answer page(InputStream body) {
        long total = 0;
        long items = 0;
        try (JsonParser json = JSON.createParser(body)) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.VALUE_NUMBER_INT && "totalCount".equals(json.currentName())) {
                    total = json.getLongValue();
                } else if (token == JsonToken.START_ARRAY && "pageItems".equals(json.currentName())) {
                    for (token = json.nextToken(); token != JsonToken.END_ARRAY; token = json.nextToken()) {
                        items++;
                        json.skipChildren();
                    }
                }
            }
        }
        return new Answer(200, total, items, "");
    }

    @Test
    void clientsOverGrpcThatDoNotReadAreRefusedFurtherLargeAnswers() {
        List<RawHttp2> deaf = new ArrayList<>();
        try (WireClient reader =
                WireClient.connect("127.0.0.1", server.grpcPort()).setUp()) {
            for (int i = 0; i < DEAF; i++) {
                RawHttp2 client =
                        RawHttp2.connect(server.grpcPort(), 4096).start().setUp(1);
                deaf.add(client);
            }
            await().until(() -> connections() == DEAF + 1);
            for (int i = 0; i < CONFIGS; i++) {
                for (RawHttp2 client : deaf) {
                    client.call(3 + 2 * i, query(i));
                }
            }

            await().until(() -> limit("exceeded") > 0);
            String answer = reader.call(query(CONFIGS - 1)).bodyText();
            assertThat(answer.length() > CONTENT_BYTES || answer.contains(LIMIT))
                    .as(answer)
                    .isTrue();
            assertThat(limit("used")).isLessThanOrEqualTo(limit("max"));
        } finally {
            deaf.forEach(RawHttp2::close);
        }
        awaitNothingTaken();
        assertThat(server.isAlive()).isTrue();
    }

    private static Payload query(int config) {
        return WireClient.payload("ConfigQueryRequest", "{\"dataId\":\"config-" + config + "\",\"group\":\"G\"}");
    }

    private static int connections() {
        return JSON.readTree(text("/v3/admin/core/connection/list"))
                .path("data")
                .size();
    }

    private static long limit(String figure) {
        return JSON.readTree(text("/v3/admin/core/limits"))
                .path("data")
                .valueStream()
                .filter(limit -> limit.path("setting").asString().equals(LIMIT))
                .findFirst()
                .orElseThrow()
                .path(figure)
                .asLong();
    }

    private static void awaitNothingTaken() {
        await().until(() -> limit("used") == 0);
    }

    @Test
    void answersAllReadsAtOnceWholeOrRefusesThemWithTheLimit() throws Exception {
        Map<String, Answer> alone = new LinkedHashMap<>();
        for (String request : requests()) {
            Answer answer = get(request);
            assertThat(answer.items).as(request).isEqualTo(answer.total);
            alone.put(request, answer);
        }
        assertThat(alone.values().stream()
                        .filter(answer -> answer.total > CONFIGS)
                        .count())
                .as("lists of all configurations, with and without contents")
                .isGreaterThan(8);
        List<String> asked = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            asked.addAll(alone.keySet());
        }
        Collections.shuffle(asked, new Random(7));

        List<Future<Answer>> all = new ArrayList<>();
        for (String request : asked) {
            all.add(CALLERS.submit(() -> get(request)));
        }
        for (int i = 0; i < all.size(); i++) {
            Answer answer = all.get(i).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (answer.status == 503 && alone.get(asked.get(i)).status != 503) {
                assertThat(answer.refusal).as(asked.get(i)).contains("Limit ", LIMIT);
            } else {
                assertThat(answer.status).as(asked.get(i)).isEqualTo(alone.get(asked.get(i)).status);
                assertThat(answer.items).as(asked.get(i)).isEqualTo(answer.total);
            }
        }

        assertThat(server.isAlive()).isTrue();
        awaitNothingTaken();
    }
}
