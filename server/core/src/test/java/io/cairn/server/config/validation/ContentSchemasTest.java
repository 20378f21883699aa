package io.cairn.server.config.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigType;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContentSchemasTest {

    private static final String SCHEMA = """
            {
              "type": "object",
              "required": ["server"],
              "properties": {
                "server": {
                  "type": "object",
                  "properties": {
                    "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                    "hosts": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}}
                  },
                  "additionalProperties": false
                }
              }
            }""";

    private final ContentSchemas schemas = new ContentSchemas();

    private Optional<Problem> check(ConfigType type, String text) {
        return schemas.check(type, text, SCHEMA);
    }

    @Test
    void acceptsContentThatIsValidAgainstItsSchema() {
        assertThat(check(ConfigType.JSON, "{\"server\": {\"port\": 80, \"hosts\": [\"a\"]}}"))
                .isEmpty();
        assertThat(check(ConfigType.YAML, "server:\n  port: 80\n  hosts: [a, b]\n"))
                .isEmpty();
        assertThat(check(ConfigType.TOML, "[server]\nport = 80\nhosts = ['a']\n"))
                .isEmpty();
        assertThat(check(ConfigType.XML, "<a/>")).isEmpty();
        assertThat(check(ConfigType.TEXT, "a")).isEmpty();
    }

    @Test
    void theFirstProblemHasItsPlaceInJson() {
        Problem problem = check(
                        ConfigType.JSON, "{\n  \"a\": [{\"server\": 1}],\n  \"server\": {\n    \"port\": \"x\"\n  }\n}")
                .orElseThrow();

        assertThat(problem.place()).isEqualTo("line 4, column 13");
        assertThat(problem.message()).startsWith("/server/port: ").contains("integer");
        assertThat(check(ConfigType.JSON, "{\"server\": {\"hosts\": [\"a\", \"B\"]}}")
                        .orElseThrow()
                        .place())
                .isEqualTo("line 1, column 28");
        assertThat(check(ConfigType.JSON, "{}").orElseThrow().message()).contains("server");
        assertThat(check(ConfigType.JSON, "{\"server\": {\"prot\": 1}}")
                        .orElseThrow()
                        .message())
                .contains("prot");
    }

    @Test
    void theFirstProblemHasItsPlaceInYaml() {
        Problem problem = check(ConfigType.YAML, "# it\nserver:\n  port: 0\n").orElseThrow();

        assertThat(problem.place()).isEqualTo("line 3, column 9");
        assertThat(check(ConfigType.YAML, "base: &base {port: 70000}\nserver:\n  <<: *base\n")
                        .orElseThrow()
                        .place())
                .isEqualTo("line 1, column 20");
        assertThat(check(ConfigType.YAML, "server: {}\n---\nserver:\n  port: eighty\n")
                        .orElseThrow()
                        .place())
                .isEqualTo("line 4, column 9");
    }

    @Test
    void tomlIsCheckedWithoutAPlace() {
        Problem problem = check(ConfigType.TOML, "[server]\nport = 'x'\n").orElseThrow();

        assertThat(problem.place()).isEmpty();
        assertThat(problem.message()).startsWith("/server/port: ");
    }

    @ParameterizedTest
    @CsvSource({
        "1, integer",
        "-7, integer",
        "0x1F, integer",
        "1.5, number",
        "yes, boolean",
        "~, 'null'",
        "'''1''', string",
        "2026-01-01, string",
        "[1], array",
        "{a: 1}, object",
        "0o7, string",
        ".inf, string"
    })
    void valuesOfYamlHaveTheTypesOfJson(String value, String type) {
        assertThat(schemas.check(
                        ConfigType.YAML,
                        "a: " + value,
                        "{\"properties\": {\"a\": {\"type\": \"" + type + "\"}}, \"required\": [\"a\"]}"))
                .isEmpty();
    }

    @Test
    void propertiesAreAnObjectOfTextsThatMaySpellNumbers() {
        String schema = "{\"required\": [\"server.port\"], \"properties\": {\"server.port\": {\"type\": \"integer\"},"
                + " \"on\": {\"type\": \"boolean\"}}}";

        assertThat(schemas.check(ConfigType.PROPERTIES, "server.port=80\non=true", schema))
                .isEmpty();
        assertThat(schemas.check(ConfigType.PROPERTIES, "server.port=http", schema)
                        .orElseThrow()
                        .message())
                .contains("server.port");
        assertThat(schemas.check(ConfigType.PROPERTIES, "port=80", schema)).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\": \"strin\"} | /type",
                "{\"type\": | line 1, column",
                "{} {} | line 1",
                "{\"a\": 1, \"a\": 2} | Duplicate",
                "7 | neither an object",
                "{\"minimum\": \"1\"} | /minimum",
                "{\"pattern\": \"(\"} | (",
                "{\"$ref\": \"#/$defs/none\"} | none",
                "{\"$ref\": \"https://example.com/schema\"} | example.com",
                "{\"$ref\": \"file:///etc/passwd\"} | passwd",
                "{\"$ref\": \"classpath:draft-07/schema\"} | classpath",
                "{\"$schema\": \"https://example.com/mine\"} | example.com"
            })
    void refusesInvalidSchemaWithTheReason(String schema, String reason) {
        assertThat(schemas.problemOf(schema))
                .hasValueSatisfying(problem -> assertThat(problem).contains(reason));
        assertThat(schemas.check(ConfigType.JSON, "{}", schema))
                .hasValueSatisfying(problem -> assertThat(problem.message()).startsWith("its schema: "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "{}",
                "{\"$schema\": \"http://json-schema.org/draft-04/schema#\", \"minimum\": 1, \"exclusiveMinimum\": true}",
                "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"if\": {}, \"then\": true}",
                "{\"$schema\": \"https://json-schema.org/draft/2019-09/schema\"}",
                "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"}",
                "{\"$ref\": \"https://json-schema.org/draft/2020-12/schema\"}"
            })
    void acceptsStandardDialectsOfJsonSchema(String schema) {
        assertThat(schemas.problemOf(schema)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // References that meet themselves.
                "{\"$ref\": \"#\"}",
                "{\"$defs\": {\"a\": {\"$ref\": \"#/$defs/b\"}, \"b\": {\"$ref\": \"#/$defs/a\"}}, \"$ref\": \"#/$defs/a\"}",
                "{\"allOf\": [{\"$ref\": \"#\"}, {\"$ref\": \"#\"}]}"
            })
    void selfReferenceEndsTheValidation(String schema) {
        assertThat(schemas.check(ConfigType.JSON, "{\"a\": 1}", schema)).isPresent();
    }

    @Test
    void alternativesOfAlternativesEndTheCheck() {
        StringBuilder schema = new StringBuilder("{\"$defs\": {\"d0\": {\"type\": \"object\"}");
        for (int i = 1; i <= 40; i++) {
            String ref = "{\"$ref\": \"#/$defs/d" + (i - 1) + "\"}";
            schema.append(", \"d")
                    .append(i)
                    .append("\": {\"allOf\": [")
                    .append(ref)
                    .append(", ")
                    .append(ref)
                    .append("]}");
        }
        schema.append("}, \"$ref\": \"#/$defs/d40\"}");

        assertThat(schemas.check(ConfigType.JSON, "{}", schema.toString()))
                .hasValueSatisfying(problem -> assertThat(problem.message()).contains("too many steps"));
    }

    @Test
    void backtrackingPatternEndsTheValidation() {
        String schema = "{\"properties\": {\"a\": {\"pattern\": \"^(a|aa)+b\\\\1$\"}}}";

        assertThat(schemas.check(ConfigType.JSON, "{\"a\": \"" + "a".repeat(60) + "!\"}", schema))
                .hasValueSatisfying(problem -> assertThat(problem.message()).contains("too many steps"));
    }

    @Test
    void recursingPatternEndsTheValidation() {
        String schema = "{\"properties\": {\"a\": {\"pattern\": \"^(a|b)*$\"}}}";

        assertThat(schemas.check(ConfigType.JSON, "{\"a\": \"" + "ab".repeat(500_000) + "\"}", schema))
                .hasValueSatisfying(problem -> assertThat(problem.message()).contains("too deep"));
    }

    @Test
    void aDeepContentUnderARecursiveSchemaIsChecked() {
        String schema = "{\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#\"}}}";

        assertThat(schemas.check(ConfigType.JSON, "{\"a\":".repeat(200) + "{}" + "}".repeat(200), schema))
                .isEmpty();
        assertThat(schemas.check(ConfigType.JSON, "{\"a\":".repeat(200) + "1" + "}".repeat(200), schema))
                .isPresent();
    }
}
