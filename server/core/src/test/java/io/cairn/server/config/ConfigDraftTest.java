package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigDraftTest {

    private static final ConfigLimits LIMITS = new ConfigLimits(1_000, 1_000_000);
    private static final Author ANNA = new Author("anna", "10.0.0.9");

    @Test
    void draftWithNamesAndContentOnlyIsForAllClients() {
        PublishConfig order = draft(Map.of()).check(LIMITS, ANNA);

        assertThat(order.key()).isEqualTo(new ConfigKey(Namespace.DEFAULT, "SHOP", "a.yaml"));
        assertThat(order.utf8()).asString().isEqualTo("a: 1");
        assertThat(order.digest()).isEqualTo(ContentDigest.of("a: 1"));
        assertThat(order.expectedMd5()).isNull();
        assertThat(order.gray()).isNull();
        assertThat(order.attributes()).isEqualTo(ConfigAttributes.ofType(ConfigType.TEXT));
        assertThat(order.by()).isEqualTo(ANNA);
    }

    @Test
    void draftValuesAreInThePublishCommand() {
        PublishConfig order = draft(Map.ofEntries(
                        Map.entry("tenant", "dev"),
                        Map.entry("content", "größe: 1"),
                        Map.entry("expectedMd5", "0123"),
                        Map.entry("type", "yaml"),
                        Map.entry("appName", "shop"),
                        Map.entry("tags", "t1,t2"),
                        Map.entry("description", "about"),
                        Map.entry("use", "test"),
                        Map.entry("effect", "all"),
                        Map.entry("schema", "{}"),
                        Map.entry("encryptedDataKey", "key")))
                .check(LIMITS, ANNA);

        assertThat(order.key().namespace()).isEqualTo(new Namespace("dev"));
        assertThat(order.digest()).isEqualTo(ContentDigest.of("größe: 1"));
        assertThat(order.expectedMd5()).isEqualTo("0123");
        assertThat(order.attributes())
                .isEqualTo(new ConfigAttributes(
                        ConfigType.YAML, "shop", "about", "test", "all", "{}", List.of("t1", "t2"), "key"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "public"})
    void theDefaultNamespaceHasManySpellings(String tenant) {
        assertThat(draft(with("tenant", tenant)).check(LIMITS, ANNA).key().namespace())
                .isEqualTo(Namespace.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "dataId, null, invalid dataId : null",
                "dataId, '', 'invalid dataId : '",
                "dataId, ' ', 'invalid dataId :  '",
                "group, null, invalid group : null",
                "group, '', 'invalid group : '",
                "content, null, content is blank : null",
                "content, '', 'content is blank : '",
                "content, ' \t', 'content is blank :  \t'",
            })
    void namesMissingFieldWithTheTextOfNacos(String field, String value, String message) {
        assertRefused(with(field, value), message);
    }

    @ParameterizedTest
    @CsvSource({"null, TEXT", "yaml, YAML", "json, JSON", "unset, UNSET", "ini, TEXT", "YAML, TEXT"})
    void anUnknownTypeIsText(String type, ConfigType expected) {
        assertThat(draft(with("type", type.equals("null") ? null : type))
                        .check(LIMITS, ANNA)
                        .attributes()
                        .type())
                .isEqualTo(expected);
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                Arguments.of("tags", 64, "too long tag, over 64"),
                Arguments.of("description", 128, "too long desc, over 128"),
                Arguments.of("use", 32, "too long use, over 32"),
                Arguments.of("effect", 32, "too long effect, over 32"),
                Arguments.of("schema", 32_768, "too long schema, over 32768"),
                Arguments.of("appName", 128, "too long appName, over 128"),
                Arguments.of("encryptedDataKey", 1_024, "too long encryptedDataKey, over 1024"),
                Arguments.of("tag", 16, "too long tag, over 16"));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void anAttributeMayBeAsLongAsItsLimitAndNoLonger(String field, int limit, String message) {
        assertThat(draft(with(field, "x".repeat(limit))).check(LIMITS, ANNA)).isNotNull();
        assertRefused(with(field, "x".repeat(limit + 1)), message);
    }

    @Test
    void aDataIdIsAsLongAsEachDatabaseStores() {
        assertThat(draft(with("dataId", "d".repeat(255))).check(LIMITS, ANNA)).isNotNull();
        assertRefused(
                with("dataId", "d".repeat(256)), "Param 'dataId' is illegal, the param length should not exceed 255.");
    }

    @Test
    void aNamedReleaseIsAsLongAsTheHistoryStores() {
        assertThat(GrayRule.named("g".repeat(50), "tag", null, "blue", 0).name())
                .hasSize(50);
        assertThatThrownBy(() -> GrayRule.named("g".repeat(51), "tag", null, "blue", 0))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("at most 50");
    }

    @Test
    void aConfigurationHasFiveTagsAtMost() {
        assertThat(tags("a,b,c,d,e")).containsExactly("a", "b", "c", "d", "e");
        assertRefused(with("tags", "a,b,c,d,e,f"), "too much config_tags, over 5");
    }

    @Test
    void tagsAreTrimmedAndCountedOnce() {
        assertThat(tags(" a , b,,a, b ,")).containsExactly("a", "b");
    }

    @Test
    void absentTagsAreKeptAndBlankOnesAreTakenAway() {
        assertThat(tags(null)).isNull();
        assertThat(tags("")).isEmpty();
        assertThat(tags(" , ")).isEmpty();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void aBlankExpectationIsNone(String md5) {
        assertThat(draft(with("expectedMd5", md5)).check(LIMITS, ANNA).expectedMd5())
                .isNull();
    }

    @Test
    void anExpectationIsHandedOnAsItCame() {
        assertThat(draft(with("expectedMd5", "no md5 at all"))
                        .check(LIMITS, ANNA)
                        .expectedMd5())
                .isEqualTo("no md5 at all");
    }

    @Test
    void theContentIsMeasuredInBytesOfUtf8() {
        assertThat(draft(with("content", "x".repeat(1_000))).check(LIMITS, ANNA).utf8())
                .hasSize(1_000);
        assertRefused(with("content", "x".repeat(1_001)), "invalid content, over 1000");
        assertThat(draft(with("content", "ü".repeat(500))).check(LIMITS, ANNA).utf8())
                .hasSize(1_000);
        assertRefused(with("content", "ü".repeat(501)), "invalid content, over 1000");
        assertRefused(with("content", "🚀".repeat(251)), "invalid content, over 1000");
    }

    @Test
    void refusesContentTooLargeForClients() {
        ConfigLimits limits = new ConfigLimits(10_000, 10_000);
        String plain = "x".repeat(7_000);
        assertThat(draft(with("content", plain)).check(limits, ANNA)).isNotNull();
        // Every newline takes two bytes in the JSON of the answer.
        String lines = "\n".repeat(3_500) + "x".repeat(3_500);
        assertThat(lines).hasSameSizeAs(plain);

        CairnException refusal = catchThrowableOfType(
                CairnException.class, () -> draft(with("content", lines)).check(limits, ANNA));

        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
        assertThat(refusal)
                .hasMessageMatching("invalid content, its message to a client would be \\d+ bytes, over 10000");
    }

    @Test
    void noContentThatIsAcceptedMakesALargerMessageThanAllowed() {
        Random random = new Random(42);
        String alphabet = "ab\n\"\\\t\u0001\u001f/<>&'ü配🚀\u007f\u2028";
        int[] symbols = alphabet.codePoints().toArray();
        for (int round = 0; round < 2_000; round++) {
            StringBuilder content = new StringBuilder();
            int hostile = random.nextInt(symbols.length) + 1;
            int size = random.nextInt(2_000) + 1;
            for (int i = 0; i < size; i++) {
                content.appendCodePoint(symbols[random.nextInt(hostile)]);
            }
            String text = "x" + content;
            String key = "\u0002".repeat(random.nextInt(3) * 500);
            int message = new JsonOutput(64)
                    .text("content", text)
                    .text("encryptedDataKey", key)
                    .toBytes()
                    .length;
            ConfigLimits limits = new ConfigLimits(100_000, message + 500);

            assertThatThrownBy(() -> draft(with("content", text, "encryptedDataKey", key))
                            .check(limits, ANNA))
                    .as("content of %d bytes leaves 500 for the other fields of its answer", message)
                    .isInstanceOf(CairnException.class);
        }
    }

    @Test
    void aBlankGrayTagOrAddressListIsForAll() {
        assertThat(draft(with("tag", " ", "betaIps", "")).check(LIMITS, ANNA).gray())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.1.1.1",
                " 10.1.1.1 , 127.0.0.1",
                "10.1.1.1,,10.1.1.2,",
                "fe80::1",
                "::ffff:10.0.0.1",
                "2001:db8::7,10.0.0.1"
            })
    void aBetaIsForAddresses(String addresses) {
        assertThat(draft(with("betaIps", addresses)).check(LIMITS, ANNA).gray().expression())
                .isEqualTo(addresses);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "127.0.0.1;10.0.0.1|127.0.0.1;10.0.0.1",
                "127.0.0.1 10.0.0.1|127.0.0.1 10.0.0.1",
                "10.0.0.1,10.0.0.*|10.0.0.*",
                "10.0.0.0/24|10.0.0.0/24",
                "10.0.0.1-10.0.0.9,10.1.1.1|10.0.0.1-10.0.0.9",
                "10.0.0.300|10.0.0.300",
                "10.0.0|10.0.0",
                "10.0.0.1:8848|10.0.0.1:8848",
                "[::1]|[::1]",
                "app-7.example|app-7.example",
                "10.0.0.1，10.0.0.2|10.0.0.1，10.0.0.2"
            })
    void aBetaForWhatIsNoAddressIsRefusedWithTheEntry(String addresses, String entry) {
        assertRefused(
                with("betaIps", addresses), "betaIps: '" + entry + "' (expected: IP addresses, separated by commas)");
    }

    @Test
    void aBetaHasAnAddressAtLeast() {
        assertRefused(with("betaIps", " , ,"), "betaIps: ' , ,' (expected: IP addresses, separated by commas)");
    }

    @Test
    void theListOfABetaMayBeAsLongAsItsLimitAndNoLonger() {
        String addresses = "10.1.1.1,".repeat(1_820);
        assertThat(draft(with("betaIps", addresses + " ".repeat(16_384 - addresses.length())))
                        .check(LIMITS, ANNA))
                .isNotNull();
        assertRefused(
                with("betaIps", addresses + " ".repeat(16_385 - addresses.length())), "too long betaIps, over 16384");
    }

    @Test
    void aGrayTagMayHaveLettersDigitsAndAFewSigns() {
        assertThat(draft(with("tag", "a-Z_0.9:é")).check(LIMITS, ANNA).gray().name())
                .isEqualTo("tag_a-Z_0.9:é");
        assertRefused(with("tag", "a b"), "invalid tag : a b");
    }

    private static List<String> tags(String tags) {
        return draft(with("tags", tags)).check(LIMITS, ANNA).attributes().tags();
    }

    private static void assertRefused(Map<String, String> fields, String message) {
        CairnException refusal =
                catchThrowableOfType(CairnException.class, () -> draft(fields).check(LIMITS, ANNA));
        assertThat(refusal).as("%s", fields.keySet()).isNotNull().hasMessage(message);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
    }

    private static Map<String, String> with(String... fields) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            all.put(fields[i], fields[i + 1]);
        }
        return all;
    }

    /** A draft with these fields, complete where they say nothing. */
    private static ConfigDraft draft(Map<String, String> fields) {
        return ConfigDraft.named(
                        fields.getOrDefault("dataId", "a.yaml"),
                        fields.getOrDefault("group", "SHOP"),
                        fields.get("tenant"))
                .content(fields.getOrDefault("content", "a: 1"))
                .expectedMd5(fields.get("expectedMd5"))
                .attributes("tags", name -> fields.get(name.equals("desc") ? "description" : name))
                .clients(fields.get("betaIps"), fields.get("tag"))
                .build();
    }
}
