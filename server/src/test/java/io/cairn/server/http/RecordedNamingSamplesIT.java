package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.http.RecordedAnswers.Deviation;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Recorded;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends the recorded requests of versions 2 and 3 of the naming API in their order, and compares status, headers and body
 * with what was recorded.
 */
class RecordedNamingSamplesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final RecordedAnswers ANSWERS = new RecordedAnswers(RecordedNamingSamplesIT::withoutAdditions);

    private static final String OK = "{\"status\":200,\"body\":{\"code\":0,\"message\":\"success\",\"data\":\"ok\"}}";

    /** Where Cairn answers otherwise: the fields of the answer that differ, and why. */
    private static final Map<String, Deviation> VERSION_2 = Map.of(
            "instance.register.bad-metadata",
            new Deviation(OK, "old SDKs send the word None for what they do not have"),
            "instance.patch",
            new Deviation(
                    "{\"status\":200,\"headers\":{\"Content-Type\":\"text/plain;charset=UTF-8\"},\"body\":\"ok\"}",
                    "enabled is required by an accident of the reference"),
            "service.list",
            new Deviation(
                    "{\"body\":{\"code\":0,\"message\":\"success\",\"data\":{\"count\":2,\"services\":[\"v2p\",\"v2svc\"]}}}",
                    "there are no other services"),
            "catalog.instances",
            new Deviation("""
                    {"body":{"code":0,"message":"success","data":{"instances":[{"ip":"10.0.0.5","port":8080,
                    "weight":4.0,"healthy":true,"enabled":true,"ephemeral":true,"clusterName":"DEFAULT",
                    "serviceName":"DEFAULT_GROUP@@v2svc","metadata":{"v":"1","m":"1"},
                    "instanceHeartBeatInterval":5000,"instanceHeartBeatTimeOut":15000,"ipDeleteTimeout":30000}],
                    "count":1}}}""", "the weight of the change before it, and metadata in the order it was set in"),
            "client.list",
            new Deviation(
                    "{\"body\":{\"code\":0,\"message\":\"success\",\"data\":[\"10.0.0.5:8080#true\"]}}",
                    "there are no other clients"),
            "client.service.publisher.list",
            new Deviation(
                    "{\"body\":{\"code\":0,\"message\":\"success\",\"data\":[{\"clientId\":\"10.0.0.5:8080#true\","
                            + "\"ip\":\"10.0.0.5\",\"port\":8080,\"cluster\":\"DEFAULT\"}]}}",
                    "2.5.1 does not find who publishes over HTTP; 3.0.3 does"));

    private static final Map<String, Deviation> VERSION_3 = Map.ofEntries(
            Map.entry(
                    "client.instance.register.bad-metadata",
                    new Deviation(OK, "old SDKs send the word None for what they do not have")),
            Map.entry("admin.service.list", new Deviation("""
                    {"body":{"code":0,"message":"success","data":{"totalCount":2,"pageNumber":1,"pagesAvailable":1,
                    "pageItems":[{"name":"v3p","groupName":"DEFAULT_GROUP","clusterCount":0,"ipCount":0,
                    "healthyInstanceCount":0,"triggerFlag":"false"},{"name":"v3svc","groupName":"DEFAULT_GROUP",
                    "clusterCount":1,"ipCount":1,"healthyInstanceCount":1,"triggerFlag":"false"}]}}}""", "names are in order, so that pages do not overlap")),
            Map.entry(
                    "admin.service.list.with-instances",
                    new Deviation(
                            """
                    {"body":{"code":0,"message":"success","data":{"totalCount":1,"pageNumber":1,"pagesAvailable":1,
                    "pageItems":[{"namespaceId":"public","serviceName":"v3svc","groupName":"DEFAULT_GROUP",
                    "clusterMap":{"DEFAULT":{"clusterName":"DEFAULT","healthChecker":{"type":"TCP"},
                    "healthyCheckPort":80,"useInstancePortForCheck":true,"metadata":{},"hosts":[{"ip":"10.0.0.5",
                    "port":8080,"weight":4.0,"healthy":true,"enabled":true,"ephemeral":true,"clusterName":"DEFAULT",
                    "serviceName":"DEFAULT_GROUP@@v3svc","metadata":{"v":"1","m":"1"},
                    "instanceHeartBeatInterval":5000,"instanceHeartBeatTimeOut":15000,"ipDeleteTimeout":30000}]}},
                    "metadata":{},"protectThreshold":0.0,"selector":{"type":"none","contextType":"NONE"},
                    "ephemeral":true}]}}}""",
                            "the reference leaves half of the fields null and shows none of the changes before it")),
            Map.entry("admin.instance.get", new Deviation("""
                    {"body":{"code":0,"message":"success","data":{"ip":"10.0.0.5","port":8080,"weight":1.0,
                    "healthy":true,"enabled":true,"ephemeral":true,"clusterName":"DEFAULT",
                    "serviceName":"DEFAULT_GROUP@@v3svc","metadata":{"v":"1"},"instanceHeartBeatInterval":5000,
                    "instanceHeartBeatTimeOut":15000,"ipDeleteTimeout":30000,"healthSince":"<ts>","lastBeat":"<ts>"}}}""", "since when it is healthy, and its last beat")),
            Map.entry("admin.instance.list", new Deviation("""
                    {"body":{"code":0,"message":"success","data":[{"ip":"10.0.0.5","port":8080,"weight":1.0,
                    "healthy":true,"enabled":true,"ephemeral":true,"clusterName":"DEFAULT",
                    "serviceName":"DEFAULT_GROUP@@v3svc","metadata":{"v":"1"},"instanceHeartBeatInterval":5000,
                    "instanceHeartBeatTimeOut":15000,"ipDeleteTimeout":30000,"healthSince":"<ts>","lastBeat":"<ts>"}]}}""", "since when it is healthy, and its last beat")),
            Map.entry(
                    "admin.ops.metrics.full",
                    new Deviation("{\"body\":null}", "there are other services; a test of its own compares the names")),
            Map.entry("admin.client.get", new Deviation("""
                    {"body":{"code":0,"message":"success","data":{"clientId":"10.0.0.5:8080#true","ephemeral":true,
                    "lastUpdatedTime":"<ts>","clientType":"ipPort","connectType":null,"appName":null,"version":null,
                    "clientIp":"10.0.0.5","clientPort":8080}}}""", "where the client is, is known")),
            Map.entry(
                    "admin.state",
                    new Deviation(
                            "{\"body\":null}", "version and port are its own; a test of its own compares the names")),
            Map.entry(
                    "console.server.state",
                    new Deviation(
                            "{\"body\":null}", "version and port are its own; a test of its own compares the names")),
            Map.entry(
                    "console.on-main-port",
                    new Deviation("{\"status\":200,\"body\":null}", "one port serves all there is")),
            Map.entry(
                    "admin.health.checkers",
                    new Deviation(
                            "{\"body\":{\"code\":0,\"message\":\"success\",\"data\":{\"TCP\":{},\"HTTP\":{\"path\":\"\","
                                    + "\"headers\":\"\",\"expectedResponseCode\":200},\"MYSQL\":{\"user\":null,\"pwd\":null,"
                                    + "\"cmd\":null},\"GRPC\":{\"service\":\"\"},\"NONE\":{}}}}",
                            "there are checks over gRPC")));

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @TestFactory
    Stream<DynamicTest> answersAsRecorded() {
        // One after the other, for each sees the services that there are.
        return Stream.concat(tests("http-v2.jsonl", VERSION_2), tests("http-v3.jsonl", VERSION_3));
    }

    @TestFactory
    Stream<DynamicTest> ownFiguresAndSettingsHaveTheSameNames() {
        return Recorded.lines("http-v3.jsonl").stream()
                .filter(sample -> Set.of("admin.ops.metrics.full", "admin.state", "console.server.state")
                        .contains(sample.path("name").asString()))
                .map(sample -> DynamicTest.dynamicTest(sample.path("name").asString(), () -> {
                    JsonNode recorded = sample.path("response").path("body");
                    JsonNode actual = JSON.readTree(exchange(sample).text());
                    assertThat(actual.propertyNames()).containsExactlyInAnyOrderElementsOf(recorded.propertyNames());
                    assertThat(actual.path("data").propertyNames())
                            .containsExactlyInAnyOrderElementsOf(
                                    recorded.path("data").propertyNames());
                }));
    }

    private static Stream<DynamicTest> tests(String file, Map<String, Deviation> deviations) {
        Map<String, JsonNode> samples = new LinkedHashMap<>();
        for (JsonNode sample : Recorded.lines(file)) {
            samples.put(sample.path("name").asString(), sample);
        }
        assertThat(samples.keySet()).containsAll(deviations.keySet());
        return samples.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> {
                    ANSWERS.assertSame(
                            entry.getKey(),
                            entry.getValue().path("response"),
                            deviations.get(entry.getKey()),
                            exchange(entry.getValue()));
                    if (entry.getKey().endsWith("instance.register.bad-metadata")) {
                        // It took the metadata away, which later ones show.
                        exchange(samples.get(entry.getKey().replace(".bad-metadata", "")));
                    }
                }));
    }

    private static Answer exchange(JsonNode sample) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            return RecordedAnswers.exchange(http, sample.path("request"));
        }
    }

    /**
     * Here an instance has an id whichever way it was registered, and lists carry a field under both names that it has
     * had.
     */
    private static JsonNode withoutAdditions(JsonNode json) {
        if (json instanceof ObjectNode object) {
            object.remove(List.of("instanceId", "instanceIdGenerator", "allIps"));
        }
        json.forEach(RecordedNamingSamplesIT::withoutAdditions);
        return json;
    }
}
