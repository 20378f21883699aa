package io.cairn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.http.RecordedAnswers.Deviation;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Recorded;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends the recorded requests of versions 2 and 3 for configurations, namespaces and the server itself in their order,
 * and compares status, headers and body with what was recorded.
 */
class RecordedConfigSamplesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final RecordedAnswers ANSWERS = new RecordedAnswers(RecordedConfigSamplesIT::normal);

    /** Where Cairn answers otherwise: the fields of the answer that differ, and why. */
    private static final Map<String, Deviation> DEVIATIONS = RecordedConfigDeviations.ALL;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    /** The last id that an answer of that kind has told; requests name it as {@code <id>}. */
    private String id = "999999";

    private String namespaceOfClone = "dev2";

    /** The archive of the recorded export, which the recorded imports send. */
    private byte[] exported = {};

    @TestFactory
    Stream<DynamicTest> version2AnswersAsRecorded() {
        return tests("http-v2-config.jsonl", "2.");
    }

    @TestFactory
    Stream<DynamicTest> version3AnswersAsRecorded() {
        return tests("http-v3-config.jsonl", "3.");
    }

    private Stream<DynamicTest> tests(String file, String prefix) {
        return Recorded.lines(file).stream().map(sample -> {
            String name = prefix + sample.path("name").asString();
            return DynamicTest.dynamicTest(name, () -> {
                prepare(name);
                ANSWERS.assertSame(name, sample.path("response"), DEVIATIONS.get(name), exchange(sample));
            });
        });
    }

    /** Makes what the recorded server had from requests that are not in the recording. */
    private void prepare(String name) {
        switch (name) {
            case "3.admin.config.publish" -> {
                post("/v3/admin/core/namespace", Map.of("namespaceId", "dev2", "namespaceName", "dev2"));
                post(
                        "/v3/admin/cs/config",
                        Map.of("namespaceId", "dev2", "dataId", "only", "groupName", "G", "content", "c"));
            }
            case "3.admin.history.get", "3.admin.history.get.mismatch" ->
                id = first("/v3/admin/cs/history/list?dataId=v3.yaml&groupName=DEFAULT_GROUP");
            case "2.history.get", "2.history.get.mismatch" ->
                id = first("/v2/cs/history/list?dataId=v2.yaml&group=DEFAULT_GROUP");
            case "3.admin.config.clone.existing-namespace" -> {
                namespaceOfClone = "dev2";
                id = first("/v3/admin/cs/config/list?dataId=v3.yaml");
            }
            case "3.admin.config.clone" -> namespaceOfClone = "nosuch";
            // The recorded server had deleted what was imported and the first one, one of them by these ids.
            case "3.admin.config.delete-batch" -> id = first("/v3/admin/cs/config/list?dataId=only");
            case "2.config.searchDetail" -> {
                post(
                        "/v2/cs/config",
                        Map.of(
                                "dataId",
                                "h.yaml",
                                "group",
                                "DEFAULT_GROUP",
                                "content",
                                "a: 2",
                                "type",
                                "yaml",
                                "appName",
                                "app1"));
                cairn.delete("/v3/admin/cs/config?dataId=v3.yaml&groupName=DEFAULT_GROUP");
            }
            case "2.history.configs" -> cairn.delete("/v3/admin/cs/config?namespaceId=dev2&dataId=cl.yaml&groupName=G");
            case "2.ns.list" -> cairn.delete("/v2/console/namespace?namespaceId=dev2");
            case "2.ns.get" ->
                post("/v2/cs/config", Map.of("namespaceId", "dev", "dataId", "x", "group", "G", "content", "x"));
            case "2.history.detail" -> {
                id = historyDetail();
            }
            default -> {
                id = "999999";
                namespaceOfClone = "dev2";
            }
        }
    }

    /** An update of a configuration to the content that it has, as it was recorded. */
    private static String historyDetail() {
        Map<String, String> form = Map.of(
                "dataId", "e1.yaml", "group", "G1", "content", "k: v\n", "type", "yaml", "appName", "app1", "desc",
                "about", "srcUser", "nacos");
        post("/v2/cs/config", form);
        post("/v2/cs/config", form);
        return first("/v2/cs/history/list?dataId=e1.yaml&group=G1");
    }

    private static void post(String path, Map<String, String> form) {
        assertThat(cairn.post(path, form).statusCode()).as(path + form).isEqualTo(200);
    }

    /** The id of the first item on that page. */
    private static String first(String path) {
        return JSON.readTree(cairn.get(path).body())
                .path("data")
                .path("pageItems")
                .path(0)
                .path("id")
                .asString();
    }

    private Answer exchange(JsonNode sample) {
        JsonNode request = sample.path("request");
        String target = request.path("path").asString();
        if (!target.startsWith("/nacos")) {
            target = "/nacos" + target;
        }
        if (request.has("query")) {
            target += '?' + encoded(request.path("query"));
        }
        String[] headers = request.path("headers").properties().stream()
                .map(header -> header.getKey() + ": " + header.getValue().asString())
                .toArray(String[]::new);
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            String method = request.path("method").asString();
            String body = request.path("body").asString("");
            if (body.startsWith("<multipart")) {
                http.send(multipart(target, body.contains("garbage") ? "garbage".getBytes(UTF_8) : exported));
            } else if (!body.isEmpty()) {
                byte[] bytes = body.replace("<id>", id).getBytes(UTF_8);
                http.send((method + ' ' + target + " HTTP/1.1\r\nHost: cairn\r\nContent-Length: " + bytes.length
                                + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n")
                        .getBytes(UTF_8));
                http.send(bytes);
            } else if (request.has("form")) {
                http.form(method, target, encoded(request.path("form")), headers);
            } else {
                http.request(method, target, headers);
            }
            Answer answer = http.answer();
            if (target.contains("/export?")) {
                exported = answer.body();
            }
            return answer;
        }
    }

    private static byte[] multipart(String target, byte[] file) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(("--BB\r\nContent-Disposition: form-data; name=\"file\"; filename=\"export.zip\"\r\n"
                        + "Content-Type: application/zip\r\n\r\n")
                .getBytes(UTF_8));
        body.writeBytes(file);
        body.writeBytes("\r\n--BB--\r\n".getBytes(UTF_8));
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(("POST " + target + " HTTP/1.1\r\nHost: cairn\r\n"
                        + "Content-Type: multipart/form-data; boundary=BB\r\nContent-Length: " + body.size()
                        + "\r\n\r\n")
                .getBytes(UTF_8));
        request.writeBytes(body.toByteArray());
        return request.toByteArray();
    }

    private String encoded(JsonNode parameters) {
        return parameters.properties().stream()
                .map(parameter -> URLEncoder.encode(parameter.getKey(), UTF_8)
                        + '='
                        + URLEncoder.encode(
                                filled(parameter.getKey(), parameter.getValue().asString()), UTF_8))
                .collect(Collectors.joining("&"));
    }

    private String filled(String name, String recorded) {
        return name.equals("namespaceId") && namespaceOfClone.equals("nosuch")
                ? namespaceOfClone
                : recorded.replace("<id>", id);
    }

    /** Ids and the order of fields are the server's own choice, and its embedded database pads some texts. */
    private static JsonNode normal(JsonNode node) {
        if (node.isObject()) {
            ObjectNode sorted = JSON.createObjectNode();
            new TreeMap<>(node.properties().stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
                    .forEach((name, value) -> sorted.set(name, normal(name, value)));
            return sorted;
        }
        if (node.isArray()) {
            ArrayNode array = JSON.createArrayNode();
            node.forEach(item -> array.add(normal(item)));
            return array;
        }
        return node;
    }

    private static JsonNode normal(String name, JsonNode value) {
        return switch (name) {
            case "id" -> JSON.getNodeFactory().stringNode(value.isNull() ? "none" : "given");
            case "opType" -> JSON.getNodeFactory().stringNode(value.asString().trim());
            case "extInfo", "originalExtInfo" -> value.isString() ? normal(extInfo(value.asString())) : value;
            default -> normal(value);
        };
    }

    /** JSON in a text, with JSON in a text of it. */
    private static JsonNode extInfo(String text) {
        ObjectNode info = (ObjectNode) JSON.readTree(text);
        if (info.has("gray_rule")) {
            ObjectNode rule = (ObjectNode) JSON.readTree(info.path("gray_rule").asString());
            rule.put("priority", rule.path("priority").asString());
            info.set("gray_rule", rule);
        }
        return info;
    }
}
