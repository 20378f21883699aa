package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.gray.GrayClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the gray release that a client gets with a simple model. */
class GrayMatchingTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "G", "a");
    private static final Author NOBODY = new Author(null, null);
    private static final List<String> ADDRESSES = List.of("10.0.0.1", "10.0.0.10", "10.0.0.2", "0.0.0.1");
    private static final List<String> TAGS = List.of("blue", "blu", "green");
    private static final List<String> NAMES = List.of("beta", "tag_blue", "one", "two", "three", "four");

    /** A release in the model: its rule and its content. */
    private record Release(GrayRule rule, String content) {}

    private final ConfigView view = new ConfigView(new ChangeFeed(), 1 << 20);
    private final List<Release> model = new ArrayList<>();

    @RepeatedTest(20)
    void clientGetsTheReleaseOfTheModel(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int matched = 0;
        for (int step = 0; step < 200; step++) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            if (random.nextInt(4) == 0) {
                remove(name);
            } else {
                publish(new Release(rule(random, name), "content " + step));
            }
            for (String address : ADDRESSES) {
                for (String tag : new String[] {null, "blue", "blu", "green", ""}) {
                    GrayClient client = new GrayClient(address, tag);
                    Optional<String> expected = expected(client);
                    ConfigEntry actual = view.grayEntry(KEY, client);
                    assertThat(Optional.ofNullable(actual).map(ConfigEntry::digest))
                            .as("%s of %s", client, model)
                            .isEqualTo(expected.map(ContentDigest::of));
                    matched += expected.isPresent() ? 1 : 0;
                }
            }
        }
        assertThat(matched).isGreaterThan(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "10.0.0.1,,10.0.0.2", "10.0.0.1, ", ",10.0.0.1"})
    void betaIsNotForClientsWithoutAnAddress(String expression) {
        GrayRule beta = GrayRule.named("one", "beta", null, expression, 0);
        assertThat(beta.matches(KEY, new GrayClient("", null))).isFalse();
        assertThat(beta.matches(KEY, new GrayClient("10.0.0.1", null))).isTrue();
    }

    private static GrayRule rule(Random random, String name) {
        int priority = random.nextInt(4);
        if (random.nextBoolean()) {
            return GrayRule.named(name, "tag", null, TAGS.get(random.nextInt(TAGS.size())), priority);
        }
        List<String> addresses =
                ADDRESSES.stream().filter(address -> random.nextInt(3) == 0).toList();
        String expression =
                addresses.isEmpty() ? "192.168.0.1" : String.join(random.nextBoolean() ? "," : " , ", addresses);
        return GrayRule.named(name, "beta", "1.0.0", expression, priority);
    }

    private Optional<String> expected(GrayClient client) {
        return model.stream()
                .filter(release -> release.rule().type().equals("tag")
                        ? release.rule().expression().equals(client.tag())
                        : Arrays.asList(release.rule().expression().split("\\s*,\\s*"))
                                .contains(client.address()))
                .min(Comparator.<Release>comparingInt(release -> -release.rule().priority())
                        .thenComparing(release -> release.rule().name()))
                .map(Release::content);
    }

    private void publish(Release release) {
        model.removeIf(other -> other.rule().name().equals(release.rule().name()));
        model.add(release);
        byte[] utf8 = release.content().getBytes(StandardCharsets.UTF_8);
        ContentDigest digest = ContentDigest.of(utf8);
        PublishConfig command = new PublishConfig(
                KEY, utf8, digest, null, ConfigAttributes.ofType(ConfigType.TEXT), release.rule(), NOBODY);
        ConfigEntry entry = new ConfigEntry(KEY, digest, ConfigType.TEXT, 0, "", release.rule());
        view.published(command, entry, new ConfigChanged(KEY, 1, Optional.empty(), Optional.of(digest)));
    }

    private void remove(String name) {
        model.removeIf(other -> other.rule().name().equals(name));
        view.removed(
                new RemoveConfig(KEY, name, NOBODY), new ConfigChanged(KEY, 1, Optional.empty(), Optional.empty()));
    }

    private static GrayClient labelled(String application, String zone) {
        return new GrayClient("10.0.0.1", null, Map.of("AppName", application, "app_zone", zone), null);
    }

    @Test
    void rulesByLabelsAndSharesSelectClientsWithLabels() {
        GrayRule label = GrayRule.named("zones", "label", null, "zone in (a, b) && AppName = orders", 3);
        GrayRule all = GrayRule.named("all", "percentage", null, "100", 2);

        assertThat(label.matches(KEY, labelled("orders", "a"))).isTrue();
        assertThat(label.matches(KEY, labelled("orders", "c"))).isFalse();
        assertThat(all.matches(KEY, labelled("orders", "c"))).isTrue();
        GrayClient overHttp = new GrayClient("10.0.0.1", null);
        assertThat(GrayRule.named("not", "label", null, "!(zone = a)", 3).matches(KEY, overHttp))
                .isFalse();
        assertThat(all.matches(KEY, overHttp)).isFalse();
        assertThat(all.matches(KEY, new GrayClient("10.0.0.1", null, Map.of(), "envoy-7")))
                .isTrue();
        assertThat(label.isKnownToNacos()).isFalse();
        assertThat(GrayRule.named("b", "beta", null, "10.0.0.1", 0).isKnownToNacos())
                .isTrue();
        for (GrayRule rule : List.of(label, all)) {
            assertThat(GrayRule.read(rule.name(), rule.toJson())).isEqualTo(rule);
        }
    }

    @Test
    void theRuleWithTheHighestPriorityApplies() {
        publish(new Release(GrayRule.named("zones", "label", null, "zone = a", 3), "for zone a"));
        publish(new Release(GrayRule.named("all", "percentage", null, "100", 2), "for all"));
        publish(new Release(GrayRule.named("ones", "beta", null, "10.0.0.1", 1), "for the address"));

        assertThat(view.grayEntry(KEY, labelled("orders", "a")).gray().name()).isEqualTo("zones");
        assertThat(view.grayEntry(KEY, labelled("orders", "b")).gray().name()).isEqualTo("all");
        assertThat(view.grayEntry(KEY, new GrayClient("10.0.0.1", null)).gray().name())
                .isEqualTo("ones");
        assertThat(view.grayEntry(KEY, labelled("orders", "a").asking("blue"))
                        .gray()
                        .name())
                .as("of a client that asks for a tag")
                .isEqualTo("ones");
    }

    @Test
    void aStoredRuleThatCannotBeReadSelectsNobody() {
        for (String type : List.of("label", "percentage")) {
            GrayRule rule = GrayRule.read("broken", "{\"type\":\"" + type + "\",\"expr\":\"((\",\"priority\":1}");
            assertThat(rule.isReadable()).isFalse();
            assertThat(rule.matches(KEY, labelled("orders", "a"))).isFalse();
        }
    }

    @Test
    void storedRuleIsReadBackUnchanged() {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            GrayRule rule = rule(random, NAMES.get(i % NAMES.size()));
            assertThat(GrayRule.read(rule.name(), rule.toJson())).isEqualTo(rule);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a b ; tag  ; 1.0.0 ; blue ; grayName: 'a b' (expected: letters, digits and _-.:, at most 50)",
                "a   ; sql  ; 1.0.0 ; blue ; gray rule type: 'sql' (expected: beta, tag, label, percentage)",
                "a   ; tag  ; 2.0.0 ; blue ; grayVersion: '2.0.0' (expected: 1.0.0)",
                "a   ; tag  ; 1.0.0 ; b b  ; invalid tag : b b",
                "a   ; label; 1.0.0 ; zone ; grayRuleExp: column 5: found the end (expected: =, !=, in, not in or exists)",
                "a   ; percentage; 1.0.0 ; 101 ; grayRuleExp: '101' (expected: a percentage from 0.01 to 100)",
                "beta ; label; 1.0.0 ; a=b ; grayName: 'beta' (expected: another name than beta and tag_... for a rule of the type label)",
                "tag_x ; percentage; 1.0.0 ; 5 ; grayName: 'tag_x' (expected: another name than beta and tag_... for a rule of the type percentage)",
            })
    void refusesInvalidRules(String name, String type, String version, String expression, String text) {
        assertThatThrownBy(() -> GrayRule.named(name, type, version, expression, 1))
                .isInstanceOf(CairnException.class)
                .hasMessage(text);
    }
}
