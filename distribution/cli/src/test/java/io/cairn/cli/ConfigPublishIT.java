package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.cli.CairnCommandIT.Answer;
import io.cairn.server.CairnServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The attributes that the publish command sends with a content. */
class ConfigPublishIT {

    private static CairnServer server;

    @BeforeAll
    static void start() {
        server = CairnServer.builder().temporary().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Answer publish(String content, String... words) {
        return CairnCommandIT.run(
                Map.of("CAIRN_SERVER", server.address()),
                content,
                Stream.concat(Stream.of("config", "publish"), Stream.of(words)).toArray(String[]::new));
    }

    private static void published(String content, String... words) {
        Answer answer = publish(content, words);
        assertThat(answer.status()).as(answer.toString()).isZero();
    }

    private static Api api() {
        return new Api("http://" + server.address() + "/nacos", Duration.ofSeconds(30), null);
    }

    private static @Nullable Object stored(String dataId) {
        Map<String, String> asked = Api.parameters("show", "all", "dataId", dataId, "group", "DEFAULT_GROUP");
        HttpResponse<String> answer =
                api().send(api().request("/v1/cs/configs", asked).GET());
        return answer.body().isEmpty() ? null : Api.bare(answer, "dataId");
    }

    private static String stored(String dataId, String field) {
        return Json.text(stored(dataId), field);
    }

    @ParameterizedTest
    @CsvSource({
        "new.yaml,yaml",
        "new.YML,yaml",
        "new.json,json",
        "new.properties,properties",
        "new.toml,toml",
        "new.htm,html",
        "new.xml,xml",
        "new.txt,text",
        "new.unknown,text",
        "new,text",
        "yaml,text"
    })
    void theExtensionOfANewDataIdGivesTheType(String dataId, String type) {
        published("a", dataId);

        assertThat(stored(dataId, "type")).isEqualTo(type);
    }

    @Test
    void keepsStoredAttributesThatAreNotGiven() {
        api().post(
                        "/v3/admin/cs/config",
                        Api.parameters(
                                "dataId",
                                "kept",
                                "groupName",
                                "DEFAULT_GROUP",
                                "content",
                                "{\"a\":1}",
                                "type",
                                "json",
                                "desc",
                                "what it is for",
                                "configTags",
                                "x,y",
                                "appName",
                                "shop",
                                "use",
                                "the use",
                                "effect",
                                "the effect",
                                "schema",
                                "{\"type\":\"object\"}",
                                "encryptedDataKey",
                                "key"));

        published("{\"a\":2}", "kept");
        assertThat(Json.fields(stored("kept")))
                .containsEntry("content", "{\"a\":2}")
                .containsEntry("type", "json")
                .containsEntry("desc", "what it is for")
                .containsEntry("configTags", "x,y")
                .containsEntry("appName", "shop")
                .containsEntry("use", "the use")
                .containsEntry("effect", "the effect")
                .containsEntry("schema", "{\"type\":\"object\"}")
                .containsEntry("encryptedDataKey", "key");

        published(
                "a: 1",
                "kept",
                "--type",
                "yml",
                "--description",
                "another",
                "--tags",
                "z",
                "--app",
                "bank",
                "--encrypted-data-key",
                "");
        assertThat(Json.fields(stored("kept")))
                .containsEntry("type", "yaml")
                .containsEntry("desc", "another")
                .containsEntry("configTags", "z")
                .containsEntry("appName", "bank")
                .containsEntry("use", "the use")
                .containsEntry("encryptedDataKey", "");

        published("a: 2", "kept", "--description", "", "--tags", "", "--app", "");
        assertThat(Json.fields(stored("kept")))
                .containsEntry("type", "yaml")
                .containsEntry("desc", "")
                .containsEntry("configTags", null)
                .containsEntry("appName", "");
    }

    @Test
    void theStoredTypeWinsOverTheExtension() {
        published("a", "odd.yaml", "--type", "properties");
        published("b", "odd.yaml");

        assertThat(stored("odd.yaml", "type")).isEqualTo("properties");
    }

    @Test
    void validateRefusesContentThatCannotBeChecked() {
        assertThat(publish("a: [", "plain", "--validate"))
                .isEqualTo(new Answer(
                        1,
                        "",
                        "cairn: --validate: type text of plain cannot be checked"
                                + " (expected: --type json, xml, yaml, properties, toml); nothing was published\n"));
        assertThat(publish("<", "page.html", "--validate").err()).contains("type html of page.html cannot be checked");
        assertThat(publish("x", "secret.yaml", "--encrypted-data-key", "key", "--validate")
                        .err())
                .contains("an encrypted content cannot be checked")
                .hasLineCount(1);
        assertThat(publish("a", "kind", "--type", "yamll").err())
                .isEqualTo("cairn: --type: 'yamll' (expected: text, json, xml, yaml, html, properties, toml)\n");
        for (String dataId : new String[] {"plain", "page.html", "secret.yaml", "kind"}) {
            assertThat(stored(dataId)).isNull();
        }
    }

    @Test
    void validateUsesTheStoredOrGivenType() {
        assertThat(publish("a: [", "checked.yaml", "--validate").status()).isOne();
        assertThat(stored("checked.yaml")).isNull();
        published("{}", "checked", "--type", "json");

        Answer malformed = publish("{", "checked", "--validate");

        assertThat(malformed.status()).isOne();
        assertThat(malformed.err()).contains("line 1").hasLineCount(1);
        assertThat(stored("checked", "content")).isEqualTo("{}");
        published("{\"a\":1}", "checked", "--validate");
    }

    @Test
    void comparesTheExpectedDigestWithTheStoredOne() {
        assertThat(publish("y", "newone", "--expect-md5", "zz"))
                .isEqualTo(new Answer(
                        1,
                        "",
                        "cairn: --expect-md5: there is no configuration DEFAULT_GROUP/newone to compare with;"
                                + " nothing was published\n"));
        assertThat(stored("newone")).isNull();
        published("a", "compared");
        assertThat(publish("b", "compared", "--expect-md5", "zz").err())
                .isEqualTo("cairn: --expect-md5: DEFAULT_GROUP/compared has 0cc175b9c0f1b6a831c399e269772661"
                        + " (expected: zz); nothing was published\n");
        published("b", "compared", "--expect-md5", "0cc175b9c0f1b6a831c399e269772661");
        assertThat(stored("compared", "content")).isEqualTo("b");
    }

    @Test
    void reportsAnEmptyContent() {
        assertThat(publish(" \n", "empty"))
                .isEqualTo(new Answer(1, "", "cairn: standard input is empty (expected: a content)\n"));
    }
}
