package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupedNameTest {

    @Test
    void firstSpellingNamesAnyGroupButTheDefault() {
        assertThat(GroupedName.of("shop", "orders")).isEqualTo("shop@@orders");
        assertThat(GroupedName.of("DEFAULT_GROUP", "orders")).isEqualTo("orders");
        assertThat(GroupedName.group("shop@@orders")).isEqualTo("shop");
        assertThat(GroupedName.service("shop@@orders")).isEqualTo("orders");
        assertThat(GroupedName.group("orders")).isEqualTo("DEFAULT_GROUP");
        assertThat(GroupedName.service("orders")).isEqualTo("orders");
    }

    @Test
    void secondSpellingIsNoLegalNameOfAService() {
        assertThat(GroupedName.firstSpelling("shop orders")).isEqualTo("shop@@orders");
        assertThat(GroupedName.firstSpelling("shop a/b~version=1 2")).isEqualTo("shop@@a/b~version=1 2");
        assertThatThrownBy(() -> NamingCheck.serviceName("shop orders")).isInstanceOf(CairnException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "shop@@orders", "shop/orders", "orders~version=1 2", " orders", ""})
    void otherTextsStay(String text) {
        assertThat(GroupedName.firstSpelling(text)).isEqualTo(text);
    }
}
