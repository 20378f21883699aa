package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.cli.migrate.SideException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BridgeServerTest {

    private static final String STATE = "/v3/admin/core/state";
    private static final String ATTENTION = "/v3/admin/core/attention";
    private static final String CONSOLE = "/v1/console/server/state";

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503})
    void aBusyServerIsOfNoKindYet(int status) throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            BridgeServer server = nacos.bridge(1_000);
            nacos.statuses.put(STATE, status);
            isTemporary(server::isCairn);
            nacos.statuses.put(STATE, 200);
            nacos.statuses.put(ATTENTION, status);
            isTemporary(server::isCairn);
            nacos.statuses.remove(ATTENTION);
            assertThat(server.isCairn()).isFalse();
            assertThat(server.dialect()).isEqualTo(BridgeServer.Dialect.V3);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'version':'1.4.2'} | | true",
                "{'version':'2.5.0'} | | false",
                " | {'data':[{'extendInfo':{'raftPort':'7848'}}]} | true",
                " | {'data':[{'extendInfo':{'version':'1.4.1'}}]} | true",
                " | {'data':[{'extendInfo':{'version':'2.0.3'},'abilities':{}}]} | false",
                " | {'data':[{'extendInfo':{},'abilities':{}}]} | false",
                " | | false"
            },
            quoteCharacter = '#')
    void itsVersionTellsWhetherItHasConnections(@Nullable String console, @Nullable String nodes, boolean isHttpOnly)
            throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            if (console != null) {
                nacos.bodies.put(CONSOLE, console.replace('\'', '"'));
            }
            if (nodes != null) {
                nacos.bodies.put("/v1/core/cluster/nodes", nodes.replace('\'', '"'));
            }
            assertThat(nacos.bridge(1_000).isHttpOnly()).isEqualTo(isHttpOnly);
        }
    }

    @Test
    void theVersionOfABusyServerIsAskedForAgain() throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            BridgeServer server = nacos.bridge(1_000);
            nacos.bodies.put(CONSOLE, "{\"version\":\"1.4.2\"}");
            nacos.statuses.put(CONSOLE, 503);
            isTemporary(server::isHttpOnly);
            nacos.statuses.remove(CONSOLE);
            assertThat(server.isHttpOnly()).isTrue();
        }
    }

    private static void isTemporary(ThrowingCallable asked) {
        assertThatThrownBy(asked).isInstanceOfSatisfying(SideException.class, e -> assertThat(e.isTemporary())
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
