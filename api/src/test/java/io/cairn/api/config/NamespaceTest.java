package io.cairn.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NamespaceTest {

    @Test
    void theDefaultNamespaceHasManySpellings() {
        for (String alias : new String[] {null, "", " ", "public"}) {
            assertThat(Namespace.ofNullable(alias)).isEqualTo(Namespace.DEFAULT);
            assertThat(Namespace.ofNullable(alias).isDefault()).isTrue();
        }
        assertThat(new Namespace("public")).isEqualTo(Namespace.DEFAULT);
    }

    @Test
    void othersHaveOne() {
        assertThat(Namespace.ofNullable("dev").id()).isEqualTo("dev");
        assertThat(Namespace.ofNullable("dev").isDefault()).isFalse();
        assertThat(Namespace.ofNullable("Public")).isNotEqualTo(Namespace.DEFAULT);
        assertThat(Namespace.ofNullable("dev")).hasToString("dev");
    }

    @Test
    void aBlankIdIsRefused() {
        assertThatThrownBy(() -> new Namespace(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("public");
    }
}
