package io.cairn.server.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.mesh.StoredName.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredNameTest {

    @Test
    void readsKindAndName() {
        assertThat(StoredName.of("listener.gateway")).contains(new StoredName(Kind.LISTENER, "gateway"));
        assertThat(StoredName.of("route.a.b")).contains(new StoredName(Kind.ROUTE, "a.b"));
        assertThat(StoredName.of("cluster.group@@orders~version=2"))
                .contains(new StoredName(Kind.CLUSTER, "group@@orders~version=2"));
        assertThat(new StoredName(Kind.CLUSTER, "orders").dataId()).isEqualTo("cluster.orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"readme.md", "clusters.a", "Route.a", "route"})
    void otherDataIdsAreOrdinaryConfigurations(String dataId) {
        assertThat(StoredName.of(dataId)).isEmpty();
        assertThat(StoredName.refusal(dataId)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret.tls", "secret.", "endpoints.orders", "route.", "listener."})
    void refusesKindsThatAreNotStoredAndMissingNames(String dataId) {
        assertThat(StoredName.of(dataId)).isEmpty();
        assertThat(StoredName.refusal(dataId)).contains("expected:");
    }
}
