package io.cairn.server.http.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SilentNodesTest {

    private static final SilentNodes TWO = new SilentNodes(List.of("10.0.0.1:8848", "10.0.0.2:8848"));
    private static final String MEMBERS = "\"complete\":false,\"silentNodes\":[\"10.0.0.1:8848\",\"10.0.0.2:8848\"]}";

    private static String added(SilentNodes silent, Map<String, Integer> object) {
        return Texts.of(silent.addedTo(JsonText.of(object)));
    }

    private static String head(HttpResponse response) {
        return new String(response.head(), UTF_8);
    }

    @Test
    void anEnvelopeNamesThemBehindItsData() {
        HttpResponse response = new Envelope(answer -> answer).written(Map.of("a", 1), TWO);

        assertThat(response.bodyText()).isEqualTo("{\"code\":0,\"message\":\"success\",\"data\":{\"a\":1}," + MEMBERS);
        assertThat(head(response)).contains("Cairn-Silent-Nodes: 10.0.0.1:8848, 10.0.0.2:8848\r\n");
    }

    @Test
    void aCompleteResponseIsTheSameAsWithoutACluster() {
        Envelope envelope = new Envelope(answer -> answer);
        HttpResponse response = envelope.written(List.of("a"), SilentNodes.NONE);

        assertThat(response.bodyText()).isEqualTo(envelope.written(List.of("a")).bodyText());
        assertThat(head(response)).doesNotContain("Cairn-");
        assertThat(SilentNodes.NONE.named(response)).isSameAs(response);
        assertThat(added(SilentNodes.NONE, Map.of("count", 1))).isEqualTo("{\"count\":1}");
    }

    @Test
    void aBareObjectNamesThemBehindItsMembers() {
        assertThat(added(TWO, Map.of("count", 1))).isEqualTo("{\"count\":1," + MEMBERS);
        assertThat(added(TWO, Map.of())).isEqualTo("{" + MEMBERS);
    }
}
