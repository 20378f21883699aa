package io.cairn.server.config.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigType;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ContentValidatorTest {

    private static final int TEN_MEBIBYTES = 10 << 20;

    private final ContentValidator validator = new ContentValidator();

    static Stream<Arguments> wellFormed() {
        return Stream.of(
                Arguments.of(ConfigType.JSON, "{\"a\": [1, 2.5e3, true, null, \"\\u00e9\"]}\n"),
                Arguments.of(ConfigType.JSON, "\ufeff3"),
                Arguments.of(ConfigType.JSON, " \"text\" "),
                Arguments.of(ConfigType.YAML, ""),
                Arguments.of(ConfigType.YAML, "# only a comment\n"),
                Arguments.of(ConfigType.YAML, "a: &x {b: 1}\nc: *x\n---\n- !!java.net.URL [\"http://localhost\"]\n"),
                Arguments.of(
                        ConfigType.YAML, "spring:\n  application: {name: \"${NAME:shop}\"}\n  text: |\n    中文 😀\n"),
                Arguments.of(ConfigType.YAML, "base: &b {a: 1}\none:\n  <<: *b\n  a: 2\n"),
                Arguments.of(ConfigType.YAML, "a: 1\n---\na: 2\n"),
                Arguments.of(ConfigType.YAML, "a: {b: 1}\nb: {b: 1}\nc: [{b: 1}, {b: 2}]\n"),
                Arguments.of(ConfigType.YAML, "1: number\n\"1\": text\ntrue: flag\n'true': text\n"),
                Arguments.of(ConfigType.YAML, "!a x: 1\n!b x: 2\n? [a]\n: 1\n? [b]\n: 2\n"),
                Arguments.of(ConfigType.YAML, "<<: [{a: 1}, {a: 2}]\n"),
                Arguments.of(ConfigType.YAML, "l: &l [{a: 1}]\nm: {<<: *l}\n<<: {x: 1, x: 2}\n"),
                Arguments.of(ConfigType.YAML, "2001-01-01: a\n2001-1-1: b\n"),
                Arguments.of(ConfigType.YAML, "[".repeat(50) + "]".repeat(50)),
                Arguments.of(ConfigType.XML, "<?xml version=\"1.0\"?>\n<a b='1'><!-- c --><![CDATA[<]]>&lt;</a>"),
                Arguments.of(
                        ConfigType.XML,
                        "<!DOCTYPE mapper PUBLIC \"-//x//y\" \"http://127.0.0.1:1/never-fetched.dtd\"><mapper/>"),
                Arguments.of(ConfigType.TOML, ""),
                Arguments.of(ConfigType.TOML, "a.b = 1\n[t]\nx = [\"y\", 'z']\nd = 2026-11-22T01:02:03Z\n[[u]]\n"),
                Arguments.of(ConfigType.TOML, "dots = \"" + ".".repeat(5_000) + "\" # " + "[".repeat(5_000)),
                Arguments.of(ConfigType.PROPERTIES, ""),
                Arguments.of(
                        ConfigType.PROPERTIES, "# C:\\users \\u\n ! \\u12\na=\\u00e9\nb : \\\\u12\nc=\\\r\n  d\nend\\"),
                Arguments.of(ConfigType.TEXT, "{"),
                Arguments.of(ConfigType.HTML, "<p"),
                Arguments.of(ConfigType.UNSET, "{"));
    }

    @Test
    void namesBothLinesOfARepeatedYamlKey() {
        assertThat(YamlCheck.check("a: 1\nb: 2\n\na: 3\n").orElseThrow().message())
                .isEqualTo("key 'a' again, first in line 1");
    }

    /** Readers such as Spring's compare the values of keys, not their spelling. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true|yes",
                "true|True",
                "on|On",
                "~|null",
                "null|NULL",
                "0x10|16",
                "010|8",
                "1_000|1000",
                "+1|1",
                "-0|0",
                "1:30|90",
                "1.0|1.00",
                "1e1|10.0",
                ".inf|.INF",
                ".nan|.NaN",
                "'a'|a",
                "'2001-01-01'|2001-01-01"
            })
    void findsAKeyThatIsRepeatedInAnotherSpelling(String one, String other) {
        assertThat(YamlCheck.check("a:\n  " + one + ": 1\n  " + other + ": 2\n")
                        .orElseThrow()
                        .message())
                .isEqualTo("key '" + other.replace("'", "") + "' again, first in line 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'&k a: 1\n*k : 2'|2",
                "'? [a, b]\n: 1\n? [a, b]\n: 2'|3",
                "'? {a: 1, b: [c]}\n: 1\n? {b: [c], a: 1}\n: 2'|3",
                "'b: &b {x: 1}\n? *b\n: 1\n? *b\n: 2'|4",
                "'a: 1\n<<: x'|2",
                "'a: 1\n<<: null'|2",
                "'a: 1\n<<: [1]'|2",
                "'a: &a 1\n<<: *a'|2",
                "'a: &a [1]\n<<: *a'|2",
                "'a: 1\nself: &s [*s]'|2",
                "'a: 1\nb: \"\\UFFFFFFFF\"'|2",
            })
    void findsWhatYamlReadersRefuse(String yaml, int line) {
        assertThat(YamlCheck.check(yaml).orElseThrow().line()).isEqualTo(line);
    }

    @Test
    void findsMoreLevelsThanYamlReadersTake() {
        assertThat(YamlCheck.check("[".repeat(51) + "]".repeat(51))).isPresent();
        assertThat(YamlCheck.check("[".repeat(50) + "a" + "]".repeat(50))).isPresent();
        assertThat(YamlCheck.check("[".repeat(49) + "a" + "]".repeat(49))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("wellFormed")
    void findsNoProblemInWellFormedContent(ConfigType type, String text) {
        assertThat(validator.check(type, text)).isEmpty();
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of(ConfigType.JSON, "{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7),
                Arguments.of(ConfigType.JSON, "{\"a\": 1}\n{\"b\": 2}", 2, 1),
                Arguments.of(ConfigType.JSON, "{\"a\": [1, 2}", 1, 12),
                Arguments.of(ConfigType.YAML, "a: 1\nb: [1, 2\nc: 3\n", 3, 2),
                Arguments.of(ConfigType.YAML, "a:\n\t- b\n", 2, 1),
                Arguments.of(ConfigType.YAML, "a: *nobody\n", 1, 4),
                Arguments.of(ConfigType.YAML, "a: 1\na: 2\n", 2, 1),
                Arguments.of(ConfigType.YAML, "x:\n  a: 1\n  b: {a: 1}\n  a: 2\n", 4, 3),
                Arguments.of(ConfigType.YAML, "- {a: 1, a: 2}\n", 1, 10),
                Arguments.of(ConfigType.YAML, "\"a\": 1\n'a': 2\n", 2, 1),
                Arguments.of(ConfigType.YAML, "b: &b {c: 1}\na: {<<: *b, d: 1, d: 2}\n", 2, 19),
                Arguments.of(ConfigType.YAML, "---\na: 1\n---\nb: 1\nb: 2\n", 5, 1),
                Arguments.of(ConfigType.YAML, "a: 1\nb: \u0001\n", 2, 4),
                Arguments.of(ConfigType.XML, "<a>\n  <b></c>\n</a>", 2, 8),
                Arguments.of(ConfigType.TOML, "a = 1\nb = \n", 2, 5),
                // A repeated name is found at the end of its line.
                Arguments.of(ConfigType.TOML, "a = 1\na = 2\n", 3, 1),
                Arguments.of(ConfigType.PROPERTIES, "a=1\nb=x\\u12g4\n", 2, 4),
                Arguments.of(ConfigType.PROPERTIES, "a=1\\\r\n # no comment \\u", 2, 15));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void theFirstProblemHasItsLineAndColumn(ConfigType type, String text, int line, int column) {
        Optional<Problem> problem = validator.check(type, text);

        assertThat(problem).isPresent();
        assertThat(problem.get().message()).isNotBlank().hasSizeLessThan(250);
        assertThat(problem.get().line() + ":" + problem.get().column())
                .as(problem.get().message())
                .isEqualTo(line + ":" + column);
    }

    @Test
    void emptyTextIsNeitherJsonNorXml() {
        assertThat(validator.check(ConfigType.JSON, "")).isPresent();
        assertThat(validator.check(ConfigType.JSON, "  \n")).isPresent();
        assertThat(validator.check(ConfigType.XML, "")).isPresent();
    }

    static Stream<Arguments> bombs() {
        int many = TEN_MEBIBYTES;
        return Stream.of(
                Arguments.of(ConfigType.JSON, "[".repeat(many)),
                Arguments.of(ConfigType.JSON, "{\"a\":".repeat(many / 5)),
                Arguments.of(ConfigType.JSON, "1".repeat(many)),
                Arguments.of(ConfigType.YAML, "[".repeat(many)),
                Arguments.of(ConfigType.YAML, "{a: ".repeat(many / 4)),
                Arguments.of(ConfigType.YAML, "x".repeat(many)),
                Arguments.of(ConfigType.YAML, "a:\n" + " ".repeat(many)),
                Arguments.of(ConfigType.YAML, "- ".repeat(many / 2)),
                Arguments.of(ConfigType.YAML, aliases()),
                Arguments.of(ConfigType.XML, "<a>".repeat(many / 3)),
                Arguments.of(ConfigType.TOML, "a = " + "[".repeat(many)),
                Arguments.of(ConfigType.TOML, "a = " + "{a=".repeat(many / 3)),
                Arguments.of(ConfigType.TOML, "a.".repeat(many / 2) + "a = 1"),
                Arguments.of(ConfigType.TOML, "x = {" + "'a'.".repeat(many / 4) + "a = 1}"));
    }

    private static String aliases() {
        StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            text.append("a" + i + ": &a" + i + " [")
                    .append(("*a" + (i - 1) + ", ").repeat(10))
                    .append("x]\n");
        }
        return text.toString();
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void reportsAliasBombWithoutExpandingIt(ConfigType type, String text) {
        assertThat(validator.check(type, text)).isPresent();
    }

    @Test
    void entitiesAreNeitherExpandedNorFetched() {
        StringBuilder text = new StringBuilder("<!DOCTYPE l [<!ENTITY l0 \"lol\">");
        for (int i = 1; i < 20; i++) {
            text.append("<!ENTITY l" + i + " \"")
                    .append(("&l" + (i - 1) + ";").repeat(10))
                    .append("\">");
        }
        validator.check(ConfigType.XML, text + "]><l>&l19;</l>");
        // A file that is there: had it been read, its lines would stand in the message.
        String file = "<!DOCTYPE l [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><l>&f;</l>";

        assertThat(validator.check(ConfigType.XML, file).map(Problem::message).orElse(""))
                .doesNotContain("root:");
    }

    @ParameterizedTest
    @EnumSource(
            value = ConfigType.class,
            names = {"JSON", "YAML", "XML", "TOML", "PROPERTIES"})
    void tenMebibytesAreRead(ConfigType type) {
        StringBuilder text = new StringBuilder(TEN_MEBIBYTES + 100);
        String[] parts =
                switch (type) {
                    case JSON -> new String[] {"[", "{\"name\": \"a long enough value for a line\"},\n", "1]"};
                    case XML -> new String[] {"<l>", "<item name='a long enough value for a line'/>\n", "</l>"};
                    case YAML -> new String[] {"", "- name: a long enough value for a line\n", ""};
                    case TOML -> new String[] {"", "[[item]]\nname = 'a long enough value for a line'\n", ""};
                    default -> new String[] {"", "name = a long enough value for a line\n", ""};
                };
        text.append(parts[0]);
        while (text.length() < TEN_MEBIBYTES) {
            text.append(parts[1]);
        }
        assertThat(validator.check(type, text + parts[2])).isEmpty();
    }
}
