package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.http.RecordedAnswers.Deviation;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.cairn.server.support.Recorded;
import io.cairn.server.support.WireClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends the recorded requests of version 1 of the HTTP API in their order, and compares status, headers and body with what
 * was recorded.
 */
class RecordedHttpSamplesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final RecordedAnswers ANSWERS = new RecordedAnswers(RecordedHttpSamplesIT::withoutAdditions);

    private static final Map<String, JsonNode> SAMPLES = samples();

    /** Where Cairn answers otherwise: the fields of the answer that differ, and why. */
    private static final Map<String, Deviation> DEVIATIONS = deviations(
            "config.tag.delete",
            like("config.delete", "the reference answers with the text of a null pointer and deletes nothing"),
            "config.tag.get.after-delete",
            like("config.tag.get.other", "it is deleted"),
            "config.get.tenant-public",
            like("config.get", "2.5.1 takes tenant public for another namespace; it is the default one"),
            "listen.short-poll.newclient",
            new Deviation(
                    "{\"body\":\"h.yaml%02DEFAULT_GROUP%01\\n\"}",
                    "newer clients get an empty body from the reference and so never hear of the change"),
            "listeners.config",
            new Deviation(
                    "{\"body\":{\"collectStatus\":200,\"lisentersGroupkeyStatus\":{}}}",
                    "nobody listens to it at that moment; another test has listeners"),
            "listeners.ip",
            new Deviation(
                    "{\"body\":{\"collectStatus\":200,\"lisentersGroupkeyStatus\":{"
                            + "\"h.json+DEFAULT_GROUP\":\"4210de201a80160bc42a22ceb6334be7\","
                            + "\"h.yaml+DEFAULT_GROUP\":\"9de2a49d06deb9c0194660123ef188d8\"}}}",
                    "two polls are parked here, and they listen to these"),
            "ns.list",
            new Deviation(
                    "{\"body\":{\"code\":200,\"message\":null,\"data\":[{\"namespace\":\"\","
                            + "\"namespaceShowName\":\"public\",\"namespaceDesc\":\"Default Namespace\","
                            + "\"quota\":200,\"configCount\":9,\"type\":0},{\"namespace\":\"dev\","
                            + "\"namespaceShowName\":\"Development\",\"namespaceDesc\":\"d\","
                            + "\"quota\":200,\"configCount\":1,\"type\":2}]}}",
                    "other configurations are counted"),
            "ns.get.default",
            new Deviation(
                    "{\"body\":{\"namespace\":\"\",\"namespaceShowName\":\"public\","
                            + "\"namespaceDesc\":\"Default Namespace\",\"quota\":200,\"configCount\":9,"
                            + "\"type\":0}}",
                    "other configurations are counted"),
            "login.auth-off",
            new Deviation(
                    "{\"status\":200,\"headers\":{\"Content-Type\":\"application/json\"},"
                            + "\"body\":{\"accessToken\":\"AUTH_DISABLED\",\"tokenTtl\":300,\"globalAdmin\":true,"
                            + "\"username\":\"nacos\"}}",
                    "without users every login is answered with the word for authentication that is off"),
            "unknown.outside-context",
            new Deviation("{\"body\":null}", "the page says it in its own words"),
            "server.state",
            new Deviation("{\"body\":null}", "version and port are its own; a test of its own compares the keys"),
            "actuator.prometheus",
            new Deviation(
                    "{\"status\":200,\"headers\":{\"Content-Type\":\"text/plain;version=0.0.4;charset=utf-8\","
                            + "\"Vary\":\"Accept-Encoding\"},\"body\":null}",
                    "metrics are exposed by default"),
            "health.checkers",
            new Deviation(
                    "{\"body\":{\"TCP\":{},\"HTTP\":{\"path\":\"\",\"headers\":\"\",\"expectedResponseCode\":200},"
                            + "\"MYSQL\":{\"user\":null,\"pwd\":null,\"cmd\":null},\"GRPC\":{\"service\":\"\"},"
                            + "\"NONE\":{}}}",
                    "there are checks over gRPC"),
            "instance.register.bad-metadata",
            like("instance.register", "old Python SDKs send None for no metadata"),
            "instance.get.after-put",
            new Deviation(
                    "{\"body\":{\"service\":\"DEFAULT_GROUP@@hsvc\",\"ip\":\"10.0.0.5\",\"port\":8080,"
                            + "\"clusterName\":\"DEFAULT\",\"weight\":1.0,\"healthy\":true,"
                            + "\"instanceId\":\"10.0.0.5#8080#DEFAULT#DEFAULT_GROUP@@hsvc\",\"metadata\":{}}}",
                    "that registration without metadata was taken"),
            "beat.bad-json",
            new Deviation("{\"body\":null}", "the defect is told in its own words"),
            "instance.get.custom-interval",
            new Deviation(
                    "{\"status\":200,\"headers\":{\"Content-Type\":\"application/json\"},\"body\":"
                            + "{\"service\":\"DEFAULT_GROUP@@hsvc\",\"ip\":\"10.0.0.8\",\"port\":8080,"
                            + "\"clusterName\":\"DEFAULT\",\"weight\":1.0,\"healthy\":true,"
                            + "\"instanceId\":\"10.0.0.8#8080#DEFAULT#DEFAULT_GROUP@@hsvc\",\"metadata\":"
                            + "{\"preserved.heart.beat.interval\":\"2000\",\"preserved.heart.beat.timeout\":\"4000\","
                            + "\"preserved.ip.delete.timeout\":\"6000\"}}}",
                    "the reference shows a registration up to half a second late"),
            "instance.statuses",
            new Deviation(
                    "{\"body\":{\"ips\":[\"10.0.0.5:8080_true\",\"10.0.0.6:8080_true\",\"10.0.0.7:8080_true\","
                            + "\"10.0.0.98:8080_true\",\"10.0.0.8:8080_true\"]}}",
                    "the reference shows a registration up to half a second late"),
            "service.names",
            new Deviation(
                    "{\"body\":{\"META-INF/services\":{\"public\":[\"DEFAULT_GROUP@@beatsvc\",\"DEFAULT_GROUP@@hsvc\"]},"
                            + "\"services\":{\"public\":[\"DEFAULT_GROUP@@beatsvc\",\"DEFAULT_GROUP@@hsvc\"]},\"count\":2}}",
                    "an accident gave the list another name than it has in 1.x; here it has both"),
            "health.server",
            new Deviation("{\"body\":null}", "it names its own port, and really counts the services"),
            "catalog.instances",
            new Deviation(
                    "{\"body\":{\"list\":[{\"instanceId\":\"10.0.0.5#8080#DEFAULT#DEFAULT_GROUP@@hsvc\",\"ip\":\"10.0.0.5\","
                            + "\"port\":8080,\"weight\":4.0,\"healthy\":true,\"enabled\":true,\"ephemeral\":true,"
                            + "\"clusterName\":\"DEFAULT\",\"serviceName\":\"DEFAULT_GROUP@@hsvc\",\"metadata\":{\"v\":\"2\"},"
                            + "\"instanceHeartBeatInterval\":5000,\"instanceHeartBeatTimeOut\":15000,"
                            + "\"ipDeleteTimeout\":30000}],\"count\":4}}",
                    "instances are listed in the order of their registration, not in that of a hash table"),
            "operator.metrics.full",
            new Deviation(
                    "{\"body\":{\"status\":\"UP\",\"serviceCount\":2,\"instanceCount\":5,\"subscribeCount\":0,"
                            + "\"responsibleInstanceCount\":5,\"clientCount\":4,\"connectionBasedClientCount\":0,"
                            + "\"ephemeralIpPortClientCount\":4,\"persistentIpPortClientCount\":0,"
                            + "\"responsibleClientCount\":4,\"cpu\":\"<float>\",\"load\":\"<float>\",\"mem\":\"<float>\"}}",
                    "clients without instances are forgotten at once, and services are counted at once"),
            "operator.push.state",
            new Deviation(
                    "{\"body\":{\"succeed\":0,\"total\":0,\"ratio\":0.0,\"reset\":false}}",
                    "nobody subscribes to anything here"),
            "operator.distro.client",
            new Deviation("{\"body\":null}", "the port is its own; another test compares it"),
            "operator.servers",
            new Deviation(
                    "{\"status\":200,\"headers\":{\"Content-Type\":\"application/json\"},\"body\":null}",
                    "tools of the time of 1.4 ask for it still"));

    private static Map<String, JsonNode> samples() {
        Map<String, JsonNode> samples = new LinkedHashMap<>();
        Recorded.lines("http-v1.jsonl")
                .forEach(sample -> samples.put(sample.path("name").asString(), sample));
        return samples;
    }

    /** Answered as that other request. */
    private static Deviation like(String name, String reason) {
        return new Deviation(SAMPLES.get(name).path("response").toString(), reason);
    }

    private static Map<String, Deviation> deviations(Object... namesAndDeviations) {
        Map<String, Deviation> deviations = new LinkedHashMap<>();
        for (int i = 0; i < namesAndDeviations.length; i += 2) {
            deviations.put((String) namesAndDeviations[i], (Deviation) namesAndDeviations[i + 1]);
        }
        return deviations;
    }

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private final List<RawHttp> parkedPolls = new ArrayList<>();

    @TestFactory
    Stream<DynamicTest> answersAsRecorded() {
        for (String type : List.of("text", "unset", "bogus", "None", "html", "properties", "toml", "xml")) {
            post("/v1/cs/configs", Map.of("dataId", "h-" + type, "content", "c=1", "type", type));
        }
        List<DynamicTest> tests = new ArrayList<>();
        SAMPLES.forEach((name, sample) -> {
            if (name.startsWith("listen.timeout.")) {
                return;
            }
            tests.add(DynamicTest.dynamicTest(name, () -> {
                if (name.startsWith("listen.notified")) {
                    playNotified(sample);
                } else {
                    assertAnswer(sample, exchange(sample));
                }
                if (name.equals("config.tag.get.after-delete")) {
                    // From here on, what these two listen to stays as it is.
                    try (WireClient client = cairn.newClient()) {
                        client.awaitAnnouncements();
                    }
                    park("listen.timeout.10s");
                    park("listen.timeout.12s");
                }
            }));
        });
        return tests.stream();
    }

    @AfterEach
    void closeParkedPolls() {
        parkedPolls.forEach(RawHttp::close);
    }

    @TestFactory
    Stream<DynamicTest> stateHasTheSameKeysAndSettings() {
        JsonNode recorded = SAMPLES.get("server.state").path("response").path("body");
        Answer answer = exchange(SAMPLES.get("server.state"));
        JsonNode actual = JSON.readTree(answer.text());
        Set<String> own = Set.of("version", "server_port");
        return Stream.concat(
                Stream.of(DynamicTest.dynamicTest("keys", () -> assertThat(actual.propertyNames())
                        .containsExactlyInAnyOrderElementsOf(recorded.propertyNames()))),
                recorded.properties().stream()
                        .filter(setting -> !own.contains(setting.getKey()))
                        .map(setting ->
                                DynamicTest.dynamicTest(setting.getKey(), () -> assertThat(actual.get(setting.getKey()))
                                        .isEqualTo(setting.getValue()))));
    }

    /** Sends a poll that is parked while other samples are played. ProductionTimingsIT plays how it ends. */
    private void park(String name) {
        Gauge parked = new Gauge(cairn, "cairn.config.long.polls");
        int before = parked.value();
        JsonNode request = SAMPLES.get(name).path("request");
        RawHttp http = RawHttp.connect(cairn.server());
        parkedPolls.add(http);
        http.form(
                "POST",
                RecordedAnswers.target(request),
                RecordedAnswers.encoded(request.path("form")),
                RecordedAnswers.headers(request));
        parked.awaitValue(before + 1);
    }

    private void playNotified(JsonNode sample) throws Exception {
        Gauge parked = new Gauge(cairn, "cairn.config.long.polls");
        int before = parked.value();
        CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(() -> exchange(sample));
        parked.awaitValue(before + 1);
        assertThat(answer).isNotDone();
        if (sample.path("name").asString().endsWith(".tenant")) {
            post("/v1/cs/configs", Map.of("dataId", "l.txt", "group", "G", "tenant", "dev", "content", "new"));
        } else {
            post("/v1/cs/configs", Map.of("dataId", "h-text", "content", "c=2"));
        }
        assertAnswer(sample, answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    private static Answer exchange(JsonNode sample) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            return RecordedAnswers.exchange(http, sample.path("request"));
        }
    }

    private void assertAnswer(JsonNode sample, Answer actual) {
        String name = sample.path("name").asString();
        ANSWERS.assertSame(name, sample.path("response"), DEVIATIONS.get(name), actual);
    }

    /** Lists carry a field under the name of 3.x as well. */
    private static JsonNode withoutAdditions(JsonNode body) {
        if (body.has("allIPs")) {
            ((ObjectNode) body).remove("allIps");
        }
        return body;
    }

    private static void post(String path, Map<String, String> form) {
        Map<String, String> all = new LinkedHashMap<>(Map.of("group", "DEFAULT_GROUP"));
        all.putAll(form);
        assertThat(cairn.post(path, all).body()).isEqualTo("true");
    }
}
