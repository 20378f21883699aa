package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemberAddressTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1:8848",
        "10.0.0.1:18848, 10.0.0.1:18848",
        "10.0.0.1:18848?raft_port=17848, 10.0.0.1:18848",
        "10.0.0.1?a=b, 10.0.0.1:8848",
        "' node-1.example:9000 ', node-1.example:9000",
        "[2001:db8::1]:9000, [2001:db8::1]:9000",
        "[2001:db8::1], [2001:db8::1]:8848",
        "2001:db8::1, [2001:db8::1]:8848",
    })
    void readsAddressesAsTheyAreWritten(String text, String expected) {
        assertThat(MemberAddress.parse(text, 8848)).hasToString(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?x=1",
                ":8848",
                "10.0.0.1:",
                "10.0.0.1:port",
                "10.0.0.1:0",
                "10.0.0.1:70000",
                "10.0.0.1:123456",
                "10.0.0.1 8848",
                "http://10.0.0.1",
                "[2001:db8::1",
                "[2001:db8::1]8848",
                "[]:1",
                "a,b"
            })
    void refusesTextThatIsNoAddress(String text) {
        assertThatThrownBy(() -> MemberAddress.parse(text, 8848))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: ");
    }

    @Test
    void groupPortFollowsTheGrpcPort() {
        assertThat(MemberAddress.of("10.0.0.1", 8848).groupPort()).isEqualTo(9849);
        assertThatThrownBy(() -> MemberAddress.of("10.0.0.1", 65_000)).hasMessage("port 65000 (expected: 1-64534)");
    }
}
