package io.cairn.server.http.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.http.v1.ListeningConfigs.Listened;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListeningConfigsTest {

    @Test
    void recordsHaveATenantOrNone() {
        assertThat(ListeningConfigs.parse(
                        "a\u0002G\u0002m\u0001b\u0002H\u0002\u0002dev\u0001c\u0002G\u0002m\u0002\u0001"))
                .containsExactly(
                        new Listened(new ConfigKey(Namespace.DEFAULT, "G", "a"), "a", "G", "m", null),
                        new Listened(new ConfigKey(new Namespace("dev"), "H", "b"), "b", "H", "", "dev"),
                        new Listened(new ConfigKey(Namespace.DEFAULT, "G", "c"), "c", "G", "m", null));
    }

    @Test
    void theSpellingOfTheDefaultNamespaceIsKept() {
        assertThat(ListeningConfigs.parse("a\u0002G\u0002\u0002public\u0001"))
                .containsExactly(new Listened(new ConfigKey(Namespace.DEFAULT, "G", "a"), "a", "G", "", "public"));
    }

    @Test
    void theDigestMayBeLeftOut() {
        assertThat(ListeningConfigs.parse("a\u0002G\u0001"))
                .containsExactly(new Listened(new ConfigKey(Namespace.DEFAULT, "G", "a"), "a", "G", "", null));
    }

    @Test
    void theLastRecordMayBeLeftOpen() {
        assertThat(ListeningConfigs.parse("a\u0002G\u0002m")).hasSize(1);
    }

    @Test
    void aValueThatIsStillEncodedIsDecoded() {
        assertThat(ListeningConfigs.parse("a%02G%02m%01")).isEqualTo(ListeningConfigs.parse("a\u0002G\u0002m\u0001"));
        assertThatThrownBy(() -> ListeningConfigs.parse("a%0")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "\u0001",
                "a\u0002b\u0002c\u0002d\u0002e\u0001",
                "a\u0002G\u0002m\u0001\u0001",
                "a\u0002G\u0001garbage\u0001"
            })
    void malformedTextHasNoRecords(String value) {
        assertThat(ListeningConfigs.parse(value)).isNull();
    }

    @Test
    void moreThanTenThousandRecordsAreNone() {
        assertThat(ListeningConfigs.parse("a\u0002G\u0001".repeat(10_000))).hasSize(10_000);
        assertThat(ListeningConfigs.parse("a\u0002G\u0001".repeat(10_001))).isNull();
    }

    @Test
    void refusesInvalidNames() {
        assertThatThrownBy(() -> ListeningConfigs.parse("a b\u0002G\u0001"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("dataId");
        assertThatThrownBy(() -> ListeningConfigs.parse("a\u0002\u0002m\u0001"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("group");
    }

    @Test
    void changedKeysAreEncodedAsTheClientSpelledThem() {
        List<Listened> changed = ListeningConfigs.parse(
                "a\u0002G\u0002m\u0001b\u0002G\u0002m\u0002public\u0001a:b\u0002G\u0002\u0002\u0001");

        assertThat(ListeningConfigs.encode(changed)).isEqualTo("a%02G%01b%02G%02public%01a%3Ab%02G%01\n");
        assertThat(ListeningConfigs.encode(List.of())).isEmpty();
        assertThat(ListeningConfigs.encodeForOldClients(changed)).isEqualTo("a:G;b:G;a:b:G;");
        assertThat(ListeningConfigs.encodeForOldClients(List.of())).isEmpty();
    }
}
