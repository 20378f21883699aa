package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.wiring.CairnApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The endpoints of the reference for configurations, namespaces and the server itself: each is there. Those that take SQL refuse it. */
class EndpointTableIT {

    private static final String TABLE = """
            GET,POST,DELETE /v1/cs/configs
            GET /v1/cs/configs/catalog
            GET,POST /v1/cs/configs/listener
            GET /v1/cs/listener
            GET /v1/cs/history
            GET /v1/cs/history/previous
            GET /v1/cs/history/configs
            GET,POST /v1/cs/capacity
            POST /v1/cs/ops/localCache
            PUT /v1/cs/ops/log
            GET /v1/cs/ops/derby
            GET /v1/cs/health
            GET /v1/cs/metrics/cluster
            GET /v1/cs/metrics/current
            GET /v1/cs/communication/configWatchers
            GET /v1/cs/communication/watcherConfigs
            GET,POST,PUT,DELETE /v1/console/namespaces
            GET /v1/console/health/liveness
            GET /v1/console/health/readiness
            GET /v1/console/server/state
            GET /v1/console/server/announcement
            GET /v1/console/server/guide
            GET /v1/core/cluster/nodes
            GET /v1/core/cluster/self
            GET /v1/core/cluster/simple/nodes
            GET /v1/core/cluster/health
            POST /v1/core/cluster/report
            POST /v1/core/cluster/switch/lookup
            POST /v1/core/cluster/server/leave
            POST /v1/core/ops/raft
            GET /v1/core/ops/idInfo
            PUT /v1/core/ops/log
            GET,POST,DELETE /v2/cs/config
            GET /v2/cs/config/searchDetail
            GET /v2/cs/history/list
            GET /v2/cs/history
            GET /v2/cs/history/detail
            GET /v2/cs/history/previous
            GET /v2/cs/history/configs
            GET /v2/core/cluster/node/self
            GET,PUT /v2/core/cluster/node/list
            GET /v2/core/cluster/node/self/health
            PUT /v2/core/cluster/lookup
            DELETE /v2/core/cluster/nodes
            POST /v2/core/ops/raft
            GET /v2/core/ops/ids
            PUT /v2/core/ops/log
            GET /v2/core/loader/current
            GET /v2/core/loader/cluster
            GET /v2/core/loader/reloadCurrent
            GET /v2/core/loader/smartReloadCluster
            GET /v2/core/loader/reloadClient
            GET /v2/console/namespace/list
            GET,POST,PUT,DELETE /v2/console/namespace
            GET /v2/console/health/liveness
            GET /v2/console/health/readiness
            GET /v3/client/cs/config
            GET,POST,DELETE /v3/admin/cs/config
            DELETE /v3/admin/cs/config/batch
            GET /v3/admin/cs/config/list
            GET /v3/admin/cs/config/listener
            GET,DELETE /v3/admin/cs/config/beta
            POST /v3/admin/cs/config/import
            GET /v3/admin/cs/config/export
            POST /v3/admin/cs/config/clone
            PUT /v3/admin/cs/config/metadata
            GET /v3/admin/cs/history/list
            GET /v3/admin/cs/history
            GET /v3/admin/cs/history/previous
            GET /v3/admin/cs/history/configs
            GET /v3/admin/cs/listener
            GET,POST /v3/admin/cs/capacity
            GET /v3/admin/cs/metrics/cluster
            GET /v3/admin/cs/metrics/ip
            POST /v3/admin/cs/ops/localCache
            PUT /v3/admin/cs/ops/log
            GET /v3/admin/cs/ops/derby
            POST /v3/admin/cs/ops/derby/import
            GET /v3/admin/core/namespace/list
            GET,POST,PUT,DELETE /v3/admin/core/namespace
            GET /v3/admin/core/namespace/check
            GET /v3/admin/core/state
            GET /v3/admin/core/state/liveness
            GET /v3/admin/core/state/readiness
            GET /v3/admin/core/cluster/node/self
            GET,PUT /v3/admin/core/cluster/node/list
            PUT /v3/admin/core/cluster/lookup
            POST /v3/admin/core/ops/raft
            GET /v3/admin/core/ops/ids
            PUT /v3/admin/core/ops/log
            GET /v3/admin/core/loader/current
            GET /v3/admin/core/loader/cluster
            POST /v3/admin/core/loader/reloadCurrent
            POST /v3/admin/core/loader/smartReloadCluster
            POST /v3/admin/core/loader/reloadClient
            GET,POST,DELETE /v3/console/cs/config
            DELETE /v3/console/cs/config/batchDelete
            GET /v3/console/cs/config/list
            GET /v3/console/cs/config/searchDetail
            GET /v3/console/cs/config/listener
            GET /v3/console/cs/config/listener/ip
            GET /v3/console/cs/config/export2
            POST /v3/console/cs/config/import
            POST /v3/console/cs/config/clone
            GET,DELETE /v3/console/cs/config/beta
            GET /v3/console/cs/history
            GET /v3/console/cs/history/list
            GET /v3/console/cs/history/previous
            GET /v3/console/cs/history/configs
            GET,POST,PUT,DELETE /v3/console/core/namespace
            GET /v3/console/core/namespace/list
            GET /v3/console/core/namespace/exist
            GET /v3/console/core/cluster/nodes
            GET /v3/console/server/state
            GET /v3/console/server/announcement
            GET /v3/console/server/guide
            GET /v3/console/health/liveness
            GET /v3/console/health/readiness
            """;

    @Test
    void everyEndpointIsServed(@TempDir Path home) {
        CairnApplication.Running server =
                CairnApplication.start(Map.of(), List.of("--server.port=0", "--cairn.home=" + home));
        Set<String> served;
        try {
            served = server.context().getBean(HttpRouter.class).routes().stream()
                    .filter(route -> !route.atRoot())
                    .map(route -> route.method() + ' ' + route.path())
                    .collect(Collectors.toSet());
        } finally {
            server.context().close();
        }
        List<String> missing = new ArrayList<>();
        for (String line : TABLE.lines().toList()) {
            String path = line.substring(line.indexOf(' ') + 1);
            for (String method : line.substring(0, line.indexOf(' ')).split(",")) {
                String endpoint = method + ' ' + path;
                if (!served.contains(endpoint)) {
                    missing.add(endpoint);
                }
            }
        }
        assertThat(missing).isEmpty();
    }
}
