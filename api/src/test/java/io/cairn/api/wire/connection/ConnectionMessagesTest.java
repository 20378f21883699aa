package io.cairn.api.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ConnectionMessagesTest {

    @Test
    void aSetupIdentifiesTheClient() {
        assertThat(read(
                        "{\"headers\":{},\"clientVersion\":\"Nacos-Java-Client:v3.0.3\",\"tenant\":\"public\","
                                + "\"labels\":{\"source\":\"sdk\",\"taskId\":\"0\",\"none\":null},"
                                + "\"abilityTable\":{\"fuzzyWatch\":true},\"module\":\"internal\"}",
                        ConnectionSetupRequest::read))
                .isEqualTo(new ConnectionSetupRequest(
                        "Nacos-Java-Client:v3.0.3", "public", Map.of("source", "sdk", "taskId", "0"), true));
    }

    @Test
    void onlyAnAbilityTableMeansThatTheClientWaitsForOne() {
        assertThat(read("{\"abilityTable\":{}}", ConnectionSetupRequest::read).negotiatesAbilities())
                .isTrue();
        assertThat(read("{\"abilityTable\":null}", ConnectionSetupRequest::read).negotiatesAbilities())
                .isFalse();
        assertThat(read(
                                "{\"clientAbilities\":{\"remoteAbility\":{\"supportRemoteConnection\":true}}}",
                                ConnectionSetupRequest::read)
                        .negotiatesAbilities())
                .isFalse();
    }

    @Test
    void aSetUpMayLeaveEverythingOut() {
        assertThat(read("{}", ConnectionSetupRequest::read))
                .isEqualTo(new ConnectionSetupRequest(null, null, Map.of(), false));
        assertThat(read("{\"labels\":null}", ConnectionSetupRequest::read).labels())
                .isEmpty();
    }

    @Test
    void fieldsOfTheWrongTypeAreMalformed() {
        assertMalformed("{\"labels\":[]}", ConnectionSetupRequest::read);
        assertMalformed("{\"abilityTable\":true}", ConnectionSetupRequest::read);
    }

    private static void assertMalformed(String json, Function<JsonInput, ?> reader) {
        assertThatThrownBy(() -> read(json, reader)).isInstanceOf(MalformedMessageException.class);
    }

    private static <T> T read(String json, Function<JsonInput, T> reader) {
        return JsonInput.read(Payload.of("T", json.getBytes(StandardCharsets.UTF_8)), reader);
    }
}
