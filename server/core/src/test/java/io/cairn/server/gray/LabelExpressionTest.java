package io.cairn.server.gray;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelExpressionTest {

    private static final Map<String, String> LABELS =
            Map.of("app_zone", "a", "app_version", "1.2", "AppName", "orders", "module", "config");

    private static boolean matches(String expression) {
        return LabelExpression.parse("expr", expression).matches(LABELS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zone = a",
                "zone==a",
                "zone in (b, a)",
                "zone in (a,b) && version != 1.3",
                "zone = b || version = 1.2",
                "zone = b || zone = c || zone = a",
                "zone = b && zone = a || zone = a",
                "zone = a || zone = b && zone = c",
                "(zone = a || zone = b) && AppName = orders",
                "!zone=b",
                "!(zone = b && version = 1.2)",
                "zone not in (b, c)",
                "zone exists",
                "!(rack exists)",
                "!(rack = a)",
                "'zone' = \"a\"",
                "module = config",
                "  zone   =\ta  "
            })
    void matchesTheLabels(String expression) {
        assertThat(matches(expression)).as(expression).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zone = b",
                "zone = A",
                "zone != a",
                "zone in (b, c)",
                "zone not in (a, c)",
                "zone = a && version = 1.3",
                "(zone = a || zone = b) && AppName = payments",
                "rack = a",
                "rack != a",
                "rack not in (a)",
                "rack exists",
                "!(zone exists)"
            })
    void doesNotMatch(String expression) {
        assertThat(matches(expression)).as(expression).isFalse();
    }

    @Test
    void aLabelOfTheApplicationIsBeforeOneOfTheConnection() {
        Map<String, String> both = Map.of("app_module", "shop", "module", "config");
        assertThat(LabelExpression.parse("expr", "module = shop").matches(both)).isTrue();
        assertThat(LabelExpression.parse("expr", "module = config").matches(both))
                .isFalse();
    }

    @Test
    void quotedTextMayHaveAnyCharacter() {
        Map<String, String> labels = Map.of("the \"zone\"", "a) && (b'");
        assertThat(LabelExpression.parse("expr", "'the \"zone\"' = \"a) && (b'\"")
                        .matches(labels))
                .isTrue();
        assertThat(LabelExpression.parse("expr", "\"the \\\"zone\\\"\" = 'a) && (b\\''")
                        .matches(labels))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "`` | column 1: found the end (expected: a label)",
                "`zone` | column 5: found the end (expected: =, !=, in, not in or exists)",
                "`zone =` | column 7: found the end (expected: a value)",
                "`zone = a b` | `column 10: found 'b' (expected: &&, || or the end)`",
                "`zone in a` | column 9: found 'a' (expected: ()",
                "`zone in (a` | column 11: found the end (expected: ))",
                "`zone in ()` | column 10: found ')' (expected: a value)",
                "`zone not a` | column 10: found 'a' (expected: in)",
                "`(zone = a` | column 10: found the end (expected: ))",
                "`zone = a && ` | column 13: found the end (expected: a label)",
                "`zone & a` | column 6: found '&' (expected: =, !=, in, not in or exists)",
                "`zone = 'a` | column 8: the quoted text does not end",
                "`zone > 1` | column 6: found '>' (expected: =, !=, in, not in or exists)"
            })
    void namesTheColumnOfTheFirstError(String expression, String error) {
        assertThatThrownBy(() -> LabelExpression.parse("grayRuleExp", expression))
                .isInstanceOfSatisfying(
                        CairnException.class, e -> assertThat(e.text()).isEqualTo("grayRuleExp: " + error));
    }

    @Test
    void limitsLengthComparisonsAndDepth() {
        assertThatThrownBy(() -> LabelExpression.parse("expr", "a=" + "b".repeat(LabelExpression.MAX_LENGTH)))
                .hasMessageContaining("at most 1024");
        String many = String.join("||", Collections.nCopies(LabelExpression.MAX_COMPARISONS, "a=b"));
        assertThat(LabelExpression.parse("expr", many).matches(Map.of("a", "b")))
                .isTrue();
        assertThatThrownBy(() -> LabelExpression.parse("expr", many + "||a=b"))
                .hasMessageContaining("more than 64 comparisons");
        assertThatThrownBy(() -> LabelExpression.parse("expr", "!".repeat(1_000) + "a=b"))
                .hasMessageContaining("nested more than 16 deep");
        assertThatThrownBy(() -> LabelExpression.parse("expr", "(".repeat(1_000)))
                .hasMessageContaining("nested more than 16 deep");
    }

    /** Random expressions and labels, against conditions that were made beside the text. */
    @Test
    void agreesWithTheConditionsOfRandomExpressions() {
        Random random = new Random(59);
        int matching = 0;
        for (int i = 0; i < 20_000; i++) {
            Made made = expression(random, 3);
            Map<String, String> labels = new HashMap<>();
            for (String label : List.of("zone", "version", "rack")) {
                if (random.nextInt(4) > 0) {
                    labels.put(random.nextBoolean() ? "app_" + label : label, value(random));
                }
            }
            boolean expected = made.condition.test(labels);
            matching += expected ? 1 : 0;
            assertThat(LabelExpression.parse("expr", made.text).matches(labels))
                    .as("%s of %s", made.text, labels)
                    .isEqualTo(expected);
        }
        assertThat(matching).isBetween(4_000, 16_000);
    }

    private record Made(String text, Predicate<Map<String, String>> condition) {}

    private static String value(Random random) {
        return List.of("a", "b", "1.2").get(random.nextInt(3));
    }

    private static Made expression(Random random, int depth) {
        return switch (depth == 0 ? 3 + random.nextInt(4) : random.nextInt(7)) {
            case 0 -> {
                Made one = expression(random, depth - 1);
                Made other = expression(random, depth - 1);
                yield new Made("(" + one.text + ") || (" + other.text + ")", one.condition.or(other.condition));
            }
            case 1 -> {
                Made one = expression(random, depth - 1);
                Made other = expression(random, depth - 1);
                yield new Made("(" + one.text + ")&&(" + other.text + ")", one.condition.and(other.condition));
            }
            case 2 -> {
                Made one = expression(random, depth - 1);
                yield new Made("! (" + one.text + ")", one.condition.negate());
            }
            default -> comparison(random);
        };
    }

    private static Made comparison(Random random) {
        String label = List.of("zone", "version", "rack").get(random.nextInt(3));
        List<String> values = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(2); i++) {
            values.add(value(random));
        }
        String listed = values.stream().map(each -> "'" + each + "'").collect(Collectors.joining(", ", "(", ")"));
        Predicate<Map<String, String>> present = labels -> of(labels, label) != null;
        return switch (random.nextInt(4)) {
            case 0 -> new Made(label + " in " + listed, labels -> values.contains(of(labels, label)));
            case 1 -> new Made(label + " not in " + listed, present.and(labels -> !values.contains(of(labels, label))));
            case 2 -> new Made(label + " exists", present);
            default ->
                new Made(label + "!=" + values.get(0), present.and(labels -> !values.get(0)
                        .equals(of(labels, label))));
        };
    }

    private static String of(Map<String, String> labels, String label) {
        return labels.getOrDefault("app_" + label, labels.get(label));
    }
}
