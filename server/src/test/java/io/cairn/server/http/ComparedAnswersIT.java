package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Requests at the edges of the HTTP API, answered as a running Nacos has answered them. The files beside the recorded
 * samples hold a request in a line that begins with {@code >} (header fields in lines that begin with {@code +}), and then
 * the answer's status and body; {@code *} in a body is any text without a quotation mark.
 */
class ComparedAnswersIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TestFactory
    List<DynamicTest> version1AsNacos2() throws IOException {
        return compared("/samples/compared-2.2.4.txt");
    }

    @TestFactory
    List<DynamicTest> version3AsNacos3() throws IOException {
        return compared("/samples/compared-3.1.0.txt");
    }

    /** One after the other, for a request builds on those before it. */
    private static List<DynamicTest> compared(String resource) throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (var in = ComparedAnswersIT.class.getResourceAsStream(resource);
                var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            String request = null;
            List<String> fields = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("> ")) {
                    request = line.substring(2);
                } else if (line.startsWith("+ ")) {
                    fields.add(line.substring(2));
                } else if (line.startsWith("< ")) {
                    String asked = request;
                    List<String> with = List.copyOf(fields);
                    String expected = line.substring(2);
                    tests.add(DynamicTest.dynamicTest(asked, () -> answersAsExpected(asked, with, expected)));
                    fields.clear();
                }
            }
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    private static void answersAsExpected(String asked, List<String> fields, String expected) throws Exception {
        String[] parts = asked.split(" ", 3);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(cairn.uri(parts[1])).timeout(PATIENCE);
        if (parts.length == 3) {
            request.header(
                    "Content-Type",
                    parts[2].startsWith("[") || parts[2].startsWith("{")
                            ? "application/json"
                            : "application/x-www-form-urlencoded");
        }
        for (String field : fields) {
            int colon = field.indexOf(':');
            request.setHeader(
                    field.substring(0, colon), field.substring(colon + 1).trim());
        }
        HttpResponse<String> answer = CLIENT.send(
                request.method(
                                parts[0],
                                parts.length == 3
                                        ? HttpRequest.BodyPublishers.ofString(parts[2])
                                        : HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        String body = answer.body().replace("\r", "\\r").replace("\n", "\\n");
        String said = answer.statusCode() + " " + body;
        assertThat(said).matches(pattern(expected));
    }

    private static String pattern(String expected) {
        StringBuilder pattern = new StringBuilder();
        for (String part : expected.split("\\*", -1)) {
            pattern.append(pattern.isEmpty() ? "" : "[^\"]*").append(java.util.regex.Pattern.quote(part));
        }
        return pattern.toString();
    }
}
