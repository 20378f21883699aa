package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.cairn.api.config.Namespace;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourcePatternTest {

    private static final Pattern STAR = Pattern.compile("\\*");

    private static final long SEED = Long.getLong("cairn.seed", System.nanoTime());

    @ParameterizedTest
    @CsvSource({
        "dev:*:*, dev, DEFAULT_GROUP, a.yaml, true",
        "dev:*:*, test, DEFAULT_GROUP, a.yaml, false",
        "dev:*:config/*, dev, DEFAULT_GROUP, a.yaml, true",
        "dev:*:naming/*, dev, DEFAULT_GROUP, a.yaml, false",
        "dev:g:config/a.yaml, dev, g, a.yaml, true",
        "dev:g:config/a.yaml, dev, g, aXyaml, false",
        "dev:g:config/a.yaml, dev, g2, a.yaml, false",
        "dev:g:config/order-*, dev, g, order-x.yaml, true",
        "dev:g:config/order-*, dev, g, orders, false",
        ":*:*, public, g, a, true",
        "public:*:*, public, g, a, true",
        ":*:*, dev, g, a, false",
        "*:*:*, dev, g, a, true",
        "*, dev, g, a, true",
        "dev:*, dev, g, a, true",
        "dev:a:b:config/x, dev, a:b, x, true",
        "dev:b:config/x, dev, a:b, x, false",
        "dev:*:config/x:y, dev, g, x:y, true",
        "dev*:*:*, dev2, g, a, true",
        "*:g:*, dev, x:g, a, false",
    })
    void patternMatchesByItsParts(String pattern, String namespace, String group, String name, boolean matches) {
        assertThat(ResourcePattern.of(pattern)
                        .matches(Namespace.ofNullable(namespace), group, ResourceType.CONFIG, name))
                .isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "dev", "dev:", "dev:g", "dev:g:", "dev::*", "dev:g:config/", "dev:config/x", "console/users"
            })
    void unreadablePatternMatchesNothing(String text) {
        ResourcePattern pattern = ResourcePattern.of(text);

        assertThat(pattern.isReadable()).isFalse();
        assertThat(pattern.matches(Namespace.ofNullable("dev"), "g", ResourceType.CONFIG, "x"))
                .isFalse();
        assertThat(pattern.concerns(Namespace.ofNullable("dev"))).isFalse();
    }

    @Test
    void starsMatchLikeARegularExpression() {
        Random random = new Random(SEED);
        for (int i = 0; i < 200_000; i++) {
            String pattern = word(random, "ab*", 8);
            String text = word(random, "ab", 10);
            String regex = STAR.splitAsStream(pattern + "|").map(Pattern::quote).collect(Collectors.joining(".*"));
            boolean expected = Pattern.matches(regex, text + "|");
            assertThat(ResourcePattern.matches(pattern, text))
                    .as("seed %d: %s on %s", SEED, pattern, text)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "(a|b):*:*; no namespace can match '(a|b)'",
                "dev-[ab]:*:*; no namespace can match 'dev-[ab]'",
                "\" dev:*:*\"; no namespace can match ' dev'",
                "\"dev :*:*\"; no namespace can match 'dev '",
                "dev.*:*:*; no namespace can match 'dev.*'",
                "^dev$:*:*; no namespace can match '^dev$'",
                "dev:(A|B):*; no group can match '(A|B)'",
                "\"dev: A:*\"; no group can match ' A'",
                "dev:G+:config/*; no group can match 'G+'",
                "dev:*:Config/*; no type matches 'Config'",
                "dev:*:(config|naming)/*; no type matches '(config|naming)'",
                "dev:*:conf/a; no type matches 'conf'",
                "dev:*:config/(a|b); no name can match '(a|b)'",
                "\"dev:*:config/ a\"; no name can match ' a'",
                "dev:*:naming/a@@b; no name can match 'a@@b'",
                "dev:*:naming/@a; no name can match '@a'",
                "dev:*:naming/a b; no name can match 'a b'",
                "dev:*:metrics/*; no name can match '*'",
                "dev:g; it has another form",
                "console/users; it has another form"
            })
    void saysWhyAPatternMatchesNothing(String pattern, String fault) {
        assertThat(ResourcePattern.of(pattern).fault()).isEqualTo(fault);
        Principal user = new Principal("anna", Principal.Kind.USER, false, List.of(Permission.of(pattern, "rw")));
        assertThat(user.mayAnywhere(Action.READ)).as("somewhere").isFalse();
        assertThat(user.mayEnter(new Namespace("dev"))).as("in a namespace").isFalse();
        assertThat(user.mayEnter(Action.READ, new Namespace("dev"), ResourceType.CONFIG))
                .as("among its configurations")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "dev:*",
                "dev:*:*",
                ":*:*",
                "public:*:*",
                "*:*:*",
                "dev-*:G_*:config/app.*",
                "dev:com.x:y:*/*",
                "dev:*:config/x:y.yaml",
                "dev:*:naming/com.x.Outer$Inner",
                "dev:*:naming/(a|b)",
                "dev:*:*/größe",
                "public:*:metrics/*",
                "*:*:metrics/*"
            })
    void findsNoFaultInAPatternThatSomethingMatches(String pattern) {
        assertThat(ResourcePattern.of(pattern).fault()).isNull();
    }

    @Test
    void aPermissionWithAnUnknownActionAllowsNothing() {
        assertThat(Permission.of("dev:*:*", "rwx").fault())
                .isEqualTo("the action is 'rwx' (expected: r, w, rw or drain)");
        assertThat(Permission.of("dev:*:*", "rw").fault()).isNull();
    }

    /** The whole of a resource against its pattern, by another road: each part is a regular expression of its own. */
    @Test
    void eachPartIsMatchedByItselfAndNoStarReachesIntoTheNext() {
        Random random = new Random(SEED);
        String names = "aA\u00e9e\u0301\u0130i\ud835\udcd0.:-";
        int allowed = 0;
        for (int i = 0; i < 200_000; i++) {
            String[] parts = {
                part(random, "aA\u00e9\u0130i-*"), part(random, names + "*"), "config", part(random, names + "*")
            };
            if (random.nextInt(4) == 0) {
                parts[2] = random.nextBoolean() ? "*" : "naming";
            }
            String pattern = parts[0] + ':' + parts[1] + ':' + parts[2] + '/' + parts[3];
            // Often of the pattern's own letters, or next to nothing would match.
            String namespace = resource(random, parts[0], "aA\u00e9\u0130i-");
            String group = resource(random, parts[1], names);
            String name = resource(random, parts[3], names);
            ResourceType type = random.nextBoolean() ? ResourceType.CONFIG : ResourceType.NAMING;
            boolean expected = fits(parts[0], namespace)
                    && fits(parts[1], group)
                    && fits(parts[2], type.word())
                    && fits(parts[3], name);

            Namespace wanted = Namespace.ofNullable(namespace);
            ResourcePattern read = ResourcePattern.of(pattern);

            assertThat(read.matches(wanted, group, type, name))
                    .as("seed %d: %s on %s %s %s %s", SEED, pattern, namespace, group, type, name)
                    .isEqualTo(expected);
            if (expected) {
                allowed++;
                assertThat(read.concerns(wanted, type)).isTrue();
                assertThat(read.matchesRow(group, name)).isTrue();
            }
        }
        assertThat(allowed).isGreaterThan(1000);
    }

    private static boolean fits(String pattern, String text) {
        StringBuilder regex = new StringBuilder();
        pattern.codePoints().forEach(c -> regex.append(c == '*' ? "(?s:.*)" : Pattern.quote(Character.toString(c))));
        return Pattern.compile(regex.toString()).matcher(text).matches();
    }

    /** Of one to four letters. */
    private static String part(Random random, String alphabet) {
        int[] letters = alphabet.codePoints().toArray();
        StringBuilder part = new StringBuilder();
        for (int length = 1 + random.nextInt(4); length > 0; length--) {
            part.appendCodePoint(letters[random.nextInt(letters.length)]);
        }
        return part.toString();
    }

    private static String resource(Random random, String pattern, String alphabet) {
        if (random.nextInt(3) == 0) {
            return part(random, alphabet);
        }
        String filled = pattern.codePoints()
                .mapToObj(c -> c == '*' && random.nextInt(8) > 0
                        ? random.nextBoolean() ? "" : part(random, alphabet)
                        : Character.toString(c))
                .collect(Collectors.joining());
        String text = filled.isEmpty() ? "a" : filled;
        return switch (random.nextInt(8)) {
            case 0 -> text.toUpperCase(Locale.ROOT);
            case 1 -> Normalizer.normalize(text, Normalizer.Form.NFD);
            default -> text;
        };
    }

    /** Watches by pattern are allowed when their pattern, taken as a name, is: that must cover all they may show. */
    @Test
    void permissionThatMatchesAPatternMatchesAllItsNames() {
        Random random = new Random(SEED);
        int covered = 0;
        for (int i = 0; i < 200_000; i++) {
            String permission = word(random, "ab*", 6);
            String watch = word(random, "ab*", 6);
            String name = watch.chars()
                    .mapToObj(c -> c == '*' ? word(random, "ab", 3) : Character.toString(c))
                    .collect(Collectors.joining());
            if (ResourcePattern.matches(permission, watch)) {
                covered++;
                assertThat(ResourcePattern.matches(permission, name))
                        .as("seed %d: %s watched by %s under %s", SEED, name, watch, permission)
                        .isTrue();
            }
        }
        assertThat(covered).isGreaterThan(1000);
    }

    @Test
    void readsAnyStoredTextWithoutFailing() {
        Random random = new Random(SEED);
        for (int i = 0; i < 100_000; i++) {
            String text = word(random, "a*:/. \u0000ü", 24);
            assertThatCode(() -> ResourcePattern.of(text).matches(Namespace.DEFAULT, "g", ResourceType.NAMING, "n"))
                    .as("seed %d: %s", SEED, text)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void deniesEverythingWithoutAPermission() {
        Principal nobody = new Principal("anna", Principal.Kind.USER, false, List.of());
        Principal reader = new Principal("ben", Principal.Kind.USER, false, List.of(Permission.of("dev:*:*", "r")));
        Principal confused = new Principal(
                "eve", Principal.Kind.USER, false, List.of(Permission.of("*:*:*", ""), Permission.of("*:*:*", "x")));
        Namespace dev = Namespace.ofNullable("dev");

        assertThat(nobody.may(Action.READ, dev, "g", ResourceType.CONFIG, "a")).isFalse();
        assertThat(Principal.ANONYMOUS.may(Action.READ, dev, "g", ResourceType.CONFIG, "a"))
                .isFalse();
        assertThat(reader.may(Action.READ, dev, "g", ResourceType.CONFIG, "a")).isTrue();
        assertThat(reader.may(Action.WRITE, dev, "g", ResourceType.CONFIG, "a")).isFalse();
        assertThat(confused.may(Action.READ, dev, "g", ResourceType.CONFIG, "a"))
                .isFalse();
        assertThat(reader.mayEnter(dev)).isTrue();
        assertThat(reader.mayEnter(Namespace.DEFAULT)).isFalse();
    }

    private static String word(Random random, String alphabet, int maxLength) {
        int length = random.nextInt(maxLength + 1);
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return word.toString();
    }
}
