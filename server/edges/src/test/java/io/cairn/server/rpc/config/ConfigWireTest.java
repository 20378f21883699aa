package io.cairn.server.rpc.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.ErrorCode;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConfigWireTest {

    private static final Map<ErrorCode, Integer> NUMBERS = Map.of(
            ErrorCode.INVALID_PARAMETER, 400,
            ErrorCode.NOT_FOUND, 300,
            ErrorCode.CONFLICT, 500,
            ErrorCode.LIMIT_EXCEEDED, 500,
            ErrorCode.BUSY, 503,
            ErrorCode.UNAVAILABLE, 500,
            ErrorCode.BEHIND, 500,
            ErrorCode.UNSUPPORTED, 501,
            ErrorCode.INTERNAL, 500);

    @ParameterizedTest
    @EnumSource
    void everyCodeHasItsNumberOnTheWire(ErrorCode code) {
        assertThat(ConfigWire.errorCode(code)).isEqualTo(NUMBERS.get(code));
    }

    @Test
    void aTenantIsPushedAsTheClientSpelledIt() {
        ConfigKey inDefault = new ConfigKey(Namespace.DEFAULT, "G", "a");
        ConfigKey inDev = new ConfigKey(new Namespace("dev"), "G", "a");

        assertThat(NamespaceAlias.tenant(inDefault, NamespaceAlias.of(null))).isNull();
        assertThat(NamespaceAlias.tenant(inDefault, NamespaceAlias.of(""))).isNull();
        assertThat(NamespaceAlias.tenant(inDefault, NamespaceAlias.of("public")))
                .isEqualTo("public");
        assertThat(NamespaceAlias.tenant(inDev, NamespaceAlias.of("dev"))).isEqualTo("dev");
    }
}
