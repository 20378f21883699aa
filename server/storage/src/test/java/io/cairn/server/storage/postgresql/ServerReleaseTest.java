package io.cairn.server.storage.postgresql;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerReleaseTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PostgreSQL 18.1 on x86_64-pc-linux-gnu, compiled by gcc (GCC) 14.2.0, 64-bit",
                "PostgreSQL 15.9 (Debian 15.9-0+deb12u1) on x86_64-pc-linux-gnu",
                "PostgreSQL 12.3 on x86_64-pc-linux-musl",
                "PostgreSQL 19beta1 on x86_64-pc-linux-gnu"
            })
    void acceptsPostgreSql(String version) {
        assertThatCode(() -> ServerRelease.check(version, "UTF8")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29",
                "PostgreSQL 9.2.4 (openGauss 2.0.0 build 78689da9) compiled at 2021-03-31",
                "KingbaseES V008R006C007B0012 on x86_64-pc-linux-gnu",
                "PostgreSQL 11.2-YB-2.20.0.0-b0 on x86_64-pc-linux-gnu",
                "CockroachDB CCL v23.1.11"
            })
    void refusesOtherProductsByTheirName(String version) {
        assertThatThrownBy(() -> ServerRelease.check(version, "UTF8"))
                .isInstanceOf(UnsupportedServerException.class)
                .hasMessage("it is '" + version + "' (expected: PostgreSQL)");
    }

    @Test
    void refusesADatabaseThatCannotHoldEveryCharacter() {
        assertThatThrownBy(() -> ServerRelease.check("PostgreSQL 18.1", "SQL_ASCII"))
                .isInstanceOf(UnsupportedServerException.class)
                .hasMessageContaining("its encoding is SQL_ASCII (expected: UTF8)");
    }
}
