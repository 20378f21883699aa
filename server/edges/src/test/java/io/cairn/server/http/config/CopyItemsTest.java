package io.cairn.server.http.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.config.transfer.CopyItem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyItemsTest {

    @Test
    void readsBothSpellings() {
        assertThat(
                        read(
                                "[{\"cfgId\":7,\"dataId\":\"d\",\"group\":\"g\"},"
                                        + "{\"configId\":\"8\",\"targetDataId\":\"e\",\"targetGroupName\":\"h\"},{\"cfgId\":9,\"group\":null}]"))
                .containsExactly(new CopyItem(7, "g", "d"), new CopyItem(8, "h", "e"), new CopyItem(9, null, null));
        assertThat(read("")).isEmpty();
        assertThat(read("[]")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                            | body: OBJECT",
                "[{\"dataId\":\"d\"}]          | body: item 1: no configId",
                "[{\"cfgId\":1},{\"cfgId\":1.5}] | body: item 2: configId: 1.5 is no whole number",
                "[{\"cfgId\":\"seven\"}]       | body: item 1: configId: 'seven' is no whole number",
                "[{\"cfgId\":1,\"group\":[]}]  | body: item 1: targetGroupName: [] is no text",
                "[1]                           | body: item 1: no configId",
                "[{                            | body: not JSON"
            })
    void namesTheItemThatIsWrong(String body, String message) {
        assertThatThrownBy(() -> read(body))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("(expected: a list such as ");
    }

    private static List<CopyItem> read(String body) {
        return CopyItems.read(body.getBytes(UTF_8));
    }
}
