package io.cairn.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console has no back door: it calls what the reference of the API documents, and nothing else. */
class EndpointsTest {

    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "../..");

    @Test
    void everyEndpointOfTheConsoleIsInTheReference() throws Exception {
        JsonNode paths = JsonMapper.shared()
                .readTree(ROOT.resolve("docs/reference/openapi.json"))
                .path("paths");
        String source = Files.readString(ROOT.resolve("console/ui/src/api/endpoints.ts"));
        List<String> called = Pattern.compile("'((?:GET|POST|PUT|DELETE) /[^']+)'")
                .matcher(source)
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(called).hasSizeGreaterThan(30);
        for (String endpoint : called) {
            String[] parts = endpoint.split(" ");
            boolean isKnown = paths.path(parts[1]).has(parts[0].toLowerCase(Locale.ROOT));
            assertThat(isKnown).as(endpoint).isTrue();
        }
    }
}
