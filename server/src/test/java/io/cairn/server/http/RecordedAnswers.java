package io.cairn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.Placeholders;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Compares status, headers and body of responses with recorded ones. */
final class RecordedAnswers {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The headers of every response of version 3; not in the recording. */
    private static final Set<String> HEADERS_OF_VERSION_3 = Set.of(
            "x-content-type-options", "x-xss-protection", "x-frame-options", "cache-control", "pragma", "expires");

    private static final String REVISION = RevisionHeaders.REVISION.toLowerCase(Locale.ROOT);

    private final UnaryOperator<JsonNode> normal;

    /** @param normal applied to both bodies to remove allowed differences; it may modify its argument */
    RecordedAnswers(UnaryOperator<JsonNode> normal) {
        this.normal = normal;
    }

    /**
     * A response in which Cairn differs from the recording.
     *
     * @param fields of the response that replace the recorded ones, as JSON; a body of null accepts any body
     */
    record Deviation(String fields, String reason) {}

    /** Also fails when the response equals the recorded one in spite of a deviation. */
    void assertSame(String name, JsonNode recorded, @Nullable Deviation deviation, Answer actual) {
        List<String> differences = differences(recorded, actual);
        if (deviation != null) {
            assertThat(differences)
                    .as(name + ": the response equals the recorded one in spite of a deviation: " + deviation.reason)
                    .isNotEmpty();
            ObjectNode expected = (ObjectNode) recorded.deepCopy();
            expected.setAll((ObjectNode) JSON.readTree(deviation.fields));
            differences = differences(expected, actual);
        }
        assertThat(differences).as(name + ": " + actual.text()).isEmpty();
    }

    private List<String> differences(JsonNode recorded, Answer actual) {
        Placeholders placeholders = new Placeholders();
        List<String> differences = new ArrayList<>();
        if (recorded.path("status").asInt() != actual.status()) {
            differences.add("status " + actual.status() + " (recorded: " + recorded.path("status") + ")");
        }
        Map<String, String> headers = new TreeMap<>(actual.headers());
        headers.keySet().removeAll(Set.of("date", "content-length", "connection"));
        if (headers.containsKey("x-frame-options")) {
            assertThat(headers).containsKeys(HEADERS_OF_VERSION_3.toArray(String[]::new));
            headers.keySet().removeAll(HEADERS_OF_VERSION_3);
        }
        // An addition of Cairn: the revision of the change, which Nacos does not have.
        String revision = headers.remove(REVISION);
        if (revision != null) {
            assertThat(revision).as(REVISION).matches("[1-9][0-9]*");
        }
        Map<String, String> recordedHeaders = new TreeMap<>();
        recorded.path("headers")
                .properties()
                .forEach(header -> recordedHeaders.put(
                        header.getKey().toLowerCase(Locale.ROOT),
                        header.getValue().asString()));
        if (!headers.keySet().equals(recordedHeaders.keySet())
                || !headers.entrySet().stream()
                        .allMatch(header -> placeholders.sameText(
                                recordedHeaders.get(header.getKey()).replace("<yyyyMMddHHmmss>", "0"),
                                header.getValue().replaceAll("_[0-9]{14}[.]", "_0.")))) {
            differences.add("headers " + headers + " (recorded: " + recordedHeaders + ")");
        }
        JsonNode body = normal.apply(recorded.path("body").deepCopy());
        if (body.has("<zip entries>")) {
            differences.addAll(placeholders.differences(body.path("<zip entries>"), entries(actual.body())));
        } else if (body.isString()) {
            if (!body.asString().equals(actual.text())) {
                differences.add("body " + actual.text() + " (recorded: " + body + ")");
            }
        } else if (!body.isNull()) {
            try {
                differences.addAll(placeholders.differences(body, normal.apply(JSON.readTree(actual.text()))));
            } catch (JacksonException e) {
                differences.add("body is not JSON: " + actual.text());
            }
        }
        return differences;
    }

    private static JsonNode entries(byte[] archive) {
        TreeMap<String, String> entries = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), new String(zip.readAllBytes(), UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return JSON.valueToTree(entries);
    }

    /** The recorded parameters as a query or a form. */
    static String encoded(JsonNode parameters) {
        return parameters.properties().stream()
                .map(parameter -> URLEncoder.encode(parameter.getKey(), UTF_8)
                        + '='
                        + URLEncoder.encode(parameter.getValue().asString(), UTF_8))
                .collect(Collectors.joining("&"));
    }

    /** The recorded request's path and query. */
    static String target(JsonNode request) {
        String path = request.path("path").asString();
        return request.has("query") ? path + '?' + encoded(request.path("query")) : path;
    }

    /** The recorded request's headers, as lines. */
    static String[] headers(JsonNode request) {
        return request.path("headers").properties().stream()
                .map(header -> header.getKey() + ": " + header.getValue().asString())
                .toArray(String[]::new);
    }

    /** Sends the recorded request with its query, form and headers. */
    static Answer exchange(RawHttp http, JsonNode request) {
        String method = request.path("method").asString();
        if (request.has("form")) {
            http.form(method, target(request), encoded(request.path("form")), headers(request));
        } else {
            http.request(method, target(request), headers(request));
        }
        return http.answer();
    }
}
