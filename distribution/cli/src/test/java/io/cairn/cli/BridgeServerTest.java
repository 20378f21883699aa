package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.cli.migrate.SideException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BridgeServerTest {

    private static final String STATE = "/v3/admin/core/state";
    private static final String ATTENTION = "/v3/admin/core/attention";

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503})
    void aBusyServerIsOfNoKindYet(int status) throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            BridgeServer server = nacos.bridge(1_000);
            nacos.statuses.put(STATE, status);
            isTemporary(server);
            nacos.statuses.put(STATE, 200);
            nacos.statuses.put(ATTENTION, status);
            isTemporary(server);
            nacos.statuses.remove(ATTENTION);
            assertThat(server.isCairn()).isFalse();
            assertThat(server.dialect()).isEqualTo(BridgeServer.Dialect.V3);
        }
    }

    private static void isTemporary(BridgeServer server) {
        assertThatThrownBy(server::isCairn).isInstanceOfSatisfying(SideException.class, e -> assertThat(e.isTemporary())
                .isTrue());
    }

    @ParameterizedTest
    @CsvSource({"200, true", "401, true", "403, true", "400, false", "404, false", "410, false"})
    void aPathOfCairnTellsTheKind(int status, boolean isCairn) throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            nacos.statuses.put(STATE, 200);
            nacos.statuses.put(ATTENTION, status);
            assertThat(nacos.bridge(1_000).isCairn()).isEqualTo(isCairn);
        }
    }
}
