package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterCheckTest {

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "a", "app-1_x.yaml:v2", "ABC", "0", "-", "com.example.shop:pay.properties"})
    void dataIdAndGroupMayHaveWordsAndAFewSigns(String name) {
        assertThatCode(() -> ParameterCheck.config(name, name, null)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", " ", "a/b", "a@b", "größe", "配置", "a+b", "a%b", "a\nb", "a\u0000", "*", "a,b", "🚀"})
    void dataIdAndGroupWithOtherCharactersAreRefused(String name) {
        assertRefused(
                () -> ParameterCheck.config(name, "g", null),
                "Param 'dataId' is illegal, illegal characters should not appear in the param.");
        assertRefused(
                () -> ParameterCheck.config("d", name, null),
                "Param 'group' is illegal, illegal characters should not appear in the param.");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "public", "dev-1_X", "0d2e9c5a-7f3c-4bd0-9f6e-0a1b2c3d4e5f"})
    void aNamespaceMayHaveWordsAndDashes(String tenant) {
        assertThatCode(() -> ParameterCheck.config("d", "g", tenant)).doesNotThrowAnyException();
        assertThatCode(() -> ParameterCheck.namespace(tenant)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a.b", "a:b", "a b", "ü", "a/b", "*"})
    void aNamespaceWithOtherCharactersIsRefused(String tenant) {
        String message = "Param 'namespaceId/tenant' is illegal, illegal characters should not appear in the param.";
        assertRefused(() -> ParameterCheck.namespace(tenant), message);
        assertRefused(() -> ParameterCheck.config("d", "g", tenant), message);
    }

    @Test
    void aNameMayBeAsLongAsItsLimitAndNoLonger() {
        assertThatCode(() -> ParameterCheck.config("d".repeat(256), "g".repeat(128), "t".repeat(64)))
                .doesNotThrowAnyException();
        assertRefused(
                () -> ParameterCheck.config("d".repeat(257), "g", null),
                "Param 'dataId' is illegal, the param length should not exceed 256.");
        assertRefused(
                () -> ParameterCheck.config("d", "g".repeat(129), null),
                "Param 'group' is illegal, the param length should not exceed 128.");
        assertRefused(
                () -> ParameterCheck.config("d", "g", "t".repeat(65)),
                "Param 'namespaceId/tenant' is illegal, the param length should not exceed 64.");
    }

    @Test
    void theNamespaceIsJudgedFirstAndTheDataIdBeforeTheGroup() {
        assertRefused(
                () -> ParameterCheck.config(" ", " ", " "),
                "Param 'namespaceId/tenant' is illegal, illegal characters should not appear in the param.");
        assertRefused(
                () -> ParameterCheck.config(" ", " ", null),
                "Param 'dataId' is illegal, illegal characters should not appear in the param.");
    }

    private static void assertRefused(Runnable check, String message) {
        CairnException refusal = catchThrowableOfType(CairnException.class, check::run);
        assertThat(refusal).isNotNull().hasMessage(message);
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
    }
}
