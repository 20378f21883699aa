package io.cairn.api.wire.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ConfigBatchListenRequest.Listened;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ConfigMessagesTest {

    @Test
    void aQueryAsTheJavaClientSendsIt() {
        assertThat(read(
                        "{\"headers\":{},\"dataId\":\"a.yaml\",\"group\":\"G\",\"tenant\":\"\",\"notify\":false,"
                                + "\"module\":\"config\",\"requestId\":\"7\"}",
                        ConfigQueryRequest::read))
                .isEqualTo(new ConfigQueryRequest("a.yaml", "G", "", null));
    }

    @Test
    void readsAnAbsentFieldAsNull() {
        ConfigQueryRequest nothing = new ConfigQueryRequest(null, null, null, null);
        assertThat(read("{}", ConfigQueryRequest::read)).isEqualTo(nothing);
        assertThat(read("{\"dataId\":null,\"group\":null,\"tenant\":null,\"tag\":null}", ConfigQueryRequest::read))
                .isEqualTo(nothing);
        assertThat(read("{}", ConfigRemoveRequest::read)).isEqualTo(new ConfigRemoveRequest(null, null, null, null));
        assertThat(read("{}", ConfigPublishRequest::read))
                .isEqualTo(new ConfigPublishRequest(null, null, null, null, null, Map.of()));
    }

    @Test
    void aRemovalCarriesItsTag() {
        assertThat(read(
                        "{\"dataId\":\"a\",\"group\":\"G\",\"tenant\":\"dev\",\"tag\":\"blue\"}",
                        ConfigRemoveRequest::read))
                .isEqualTo(new ConfigRemoveRequest("a", "G", "dev", "blue"));
    }

    @Test
    void aPublishHasItsAdditionsWithoutThoseThatAreNull() {
        assertThat(read(
                        "{\"dataId\":\"a\",\"group\":\"G\",\"tenant\":\"dev\",\"content\":\"c\",\"casMd5\":\"m\","
                                + "\"additionMap\":{\"type\":\"yaml\",\"encryptedDataKey\":\"\",\"desc\":null},"
                                + "\"module\":\"config\"}",
                        ConfigPublishRequest::read))
                .isEqualTo(new ConfigPublishRequest(
                        "a", "G", "dev", "c", "m", Map.of("type", "yaml", "encryptedDataKey", "")));
    }

    @Test
    void theTypeAtTheTopLevelCountsWhenTheAdditionsHaveNone() {
        // The Node SDK puts it there.
        assertThat(read("{\"type\":\"json\"}", ConfigPublishRequest::read).additions())
                .containsExactly(Map.entry("type", "json"));
        assertThat(read("{\"type\":\"json\",\"additionMap\":{\"type\":\"yaml\"}}", ConfigPublishRequest::read)
                        .additions())
                .containsExactly(Map.entry("type", "yaml"));
        assertThat(read("{\"type\":\"json\",\"additionMap\":null}", ConfigPublishRequest::read)
                        .additions())
                .containsExactly(Map.entry("type", "json"));
    }

    @Test
    void listeningIsTheDefault() {
        assertThat(read("{}", ConfigBatchListenRequest::read)).isEqualTo(new ConfigBatchListenRequest(true, List.of()));
        assertThat(read("{\"listen\":null,\"configListenContexts\":null}", ConfigBatchListenRequest::read)
                        .listen())
                .isTrue();
        assertThat(read("{\"listen\":false}", ConfigBatchListenRequest::read).listen())
                .isFalse();
    }

    @Test
    void contextsKeepTheSpellingOfTheClient() {
        assertThat(read(
                                "{\"listen\":true,\"configListenContexts\":["
                                        + "{\"group\":\"G\",\"md5\":\"m\",\"dataId\":\"a\",\"tenant\":\"\"},"
                                        + "{\"dataId\":\"b\",\"group\":\"G\",\"more\":[1]},"
                                        + "{\"dataId\":\"c\",\"group\":\"G\",\"tenant\":\"public\",\"md5\":null}]}",
                                ConfigBatchListenRequest::read)
                        .contexts())
                .containsExactly(
                        new Listened("G", "a", "", "m"),
                        new Listened("G", "b", null, null),
                        new Listened("G", "c", "public", null));
    }

    @Test
    void fieldsOfTheWrongTypeAreMalformed() {
        assertMalformed("{\"dataId\":[\"x\"]}", ConfigQueryRequest::read);
        assertMalformed("{\"content\":{}}", ConfigPublishRequest::read);
        assertMalformed("{\"additionMap\":\"type=yaml\"}", ConfigPublishRequest::read);
        assertMalformed("{\"additionMap\":{\"type\":[]}}", ConfigPublishRequest::read);
        assertMalformed("{\"listen\":\"maybe\"}", ConfigBatchListenRequest::read);
        assertMalformed("{\"configListenContexts\":{}}", ConfigBatchListenRequest::read);
        assertMalformed("{\"configListenContexts\":[\"a\"]}", ConfigBatchListenRequest::read);
        assertMalformed("{\"configListenContexts\":[{\"md5\":{}}]}", ConfigBatchListenRequest::read);
    }

    @Test
    void leastRevisionIsReadFromTheHeader() {
        Payload query = Payload.of(
                "ConfigQueryRequest",
                null,
                Map.of("cairn-min-revision", "7"),
                "{\"dataId\":\"a\"}".getBytes(StandardCharsets.UTF_8));

        assertThat(ConfigQueryRequest.of(query)).isEqualTo(new ConfigQueryRequest("a", null, null, null, null, "7"));
    }

    @Test
    void tagOfTheClientIsReadFromTheHeader() {
        assertThat(ConfigQueryRequest.of(message(true, "{\"dataId\":\"a\"}")))
                .isEqualTo(new ConfigQueryRequest("a", null, null, null, "blue", null));
        assertThat(ConfigQueryRequest.of(message(true, "{\"dataId\":\"a\",\"tag\":\" \"}"))
                        .clientTag())
                .isEqualTo("blue");
        assertThat(ConfigQueryRequest.of(message(true, "{\"dataId\":\"a\",\"tag\":\"green\"}")))
                .as("the tag that is asked for counts")
                .isEqualTo(new ConfigQueryRequest("a", null, null, "green"));
        assertThat(ConfigQueryRequest.of(message(false, "{\"dataId\":\"a\"}")).clientTag())
                .isNull();
        assertThat(ConfigBatchListenRequest.of(message(true, "{\"configListenContexts\":[{\"dataId\":\"a\"}]}")))
                .isEqualTo(
                        new ConfigBatchListenRequest(true, List.of(new Listened(null, "a", null, null)), "blue", null));
        assertThat(ConfigBatchListenRequest.of(message(true, "{\"listen\":false}")))
                .isEqualTo(new ConfigBatchListenRequest(false, List.of()));
        assertThat(ConfigBatchListenRequest.of(message(false, "{}")).clientTag())
                .isNull();
    }

    private static Payload message(boolean tagged, String json) {
        return Payload.of(
                "T", null, tagged ? Map.of("vipserver-tag", "blue") : Map.of(), json.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertMalformed(String json, Function<JsonInput, ?> reader) {
        assertThatThrownBy(() -> read(json, reader)).isInstanceOf(MalformedMessageException.class);
    }

    private static <T> T read(String json, Function<JsonInput, T> reader) {
        return JsonInput.read(Payload.of("T", json.getBytes(StandardCharsets.UTF_8)), reader);
    }
}
