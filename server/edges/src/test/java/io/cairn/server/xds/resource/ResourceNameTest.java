package io.cairn.server.xds.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceNameTest {

    @Test
    void nameOfAServiceLeavesTheDefaultGroupOut() {
        assertThat(ResourceName.of(new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders")))
                .hasToString("orders")
                .isEqualTo(ResourceName.parse("orders"));
        assertThat(ResourceName.of(new ServiceKey(Namespace.DEFAULT, "shop", "orders")))
                .hasToString("shop@@orders")
                .isEqualTo(ResourceName.parse("shop@@orders"));
    }

    @Test
    void subsetIsReadAndWritten() {
        ResourceName name = ResourceName.parse("shop@@orders~cluster=BJ,version=a=b");
        assertThat(name).hasToString("shop@@orders~cluster=BJ,version=a=b");
        assertThat(name.subset()).containsExactly(entry("cluster", "BJ"), entry("version", "a=b"));
        assertThat(name.service(Namespace.DEFAULT)).isEqualTo(new ServiceKey(Namespace.DEFAULT, "shop", "orders"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "@@orders", "shop@@", "DEFAULT_GROUP@@orders", "orders~b=1,a=2", "~version=2", "shop@@~a=b"})
    void otherTextsAreNoNames(String text) {
        assertThat(ResourceName.parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a~b", "orders~", "orders~=2", "orders~a=1,a=1", "orders~a=1,b", "日志", "com.shop:1"})
    void otherTextsAreNamesOfServices(String text) {
        assertThat(ResourceName.parse(text)).hasToString(text);
        assertThat(ResourceName.parse(text).subset()).isEmpty();
    }

    @Test
    void serviceMayLookLikeASubset() {
        assertThat(ResourceName.parse("orders~version=2").subset()).hasSize(1);
        ResourceName whole = ResourceName.wholeService("orders~version=2");
        assertThat(whole.service()).isEqualTo("orders~version=2");
        assertThat(whole.subset()).isEmpty();
        assertThat(ResourceName.parse("a~b=1~c=2").service()).isEqualTo("a~b=1");
    }
}
