package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrustedProxiesTest {

    private static final TrustedProxies OURS = new TrustedProxies(Set.of("10.0.0.1", "10.0.0.2"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "192.0.2.7 | 127.0.0.1                  | 192.0.2.7",
                "10.0.0.1  | -                          | 10.0.0.1",
                "10.0.0.1  | 192.0.2.7                  | 192.0.2.7",
                "10.0.0.1  | 127.0.0.1, 192.0.2.7       | 192.0.2.7",
                "10.0.0.1  | 192.0.2.7, 10.0.0.2        | 192.0.2.7",
                "10.0.0.1  | 10.0.0.2                   | 10.0.0.1",
                "10.0.0.1  | ,                          | 10.0.0.1",
            })
    void usesTheNearestUntrustedAddressThatTrustedProxiesReport(String socket, String forwarded, String expected) {
        assertThat(OURS.addressOf(socket, forwarded)).isEqualTo(expected);
    }

    @Test
    void ignoresForwardedAddressesWithoutTrustedProxies() {
        assertThat(new TrustedProxies(Set.of()).addressOf("192.0.2.7", "127.0.0.1"))
                .isEqualTo("192.0.2.7");
    }
}
