package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** {@code /v3/admin/core/cluster/key}: the key for messages between nodes. */
public final class GroupKeyEndpoints {

    private static final Operation<HttpRequest> ROTATE = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers("string")
            .recordedAs(http -> new HttpAudit.Done("secret.rotate", "group-key", null))
            .says("Stores a new key for the messages between nodes, used after all nodes were restarted together");

    private final Runnable rotation;
    private final Executor pool;
    private final Endpoints endpoints;

    /** @param rotation stores a new key; blocks */
    public GroupKeyEndpoints(Runnable rotation, Executor pool, ContainerErrors container) {
        this.rotation = rotation;
        this.pool = pool;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.post("/v3/admin/core/cluster/key", ROTATE, request -> rotate()));
    }

    private CompletionStage<HttpResponse> rotate() {
        return CompletableFuture.supplyAsync(
                () -> {
                    rotation.run();
                    return V3.ENVELOPE.written(
                            "A new key is stored. Stop all nodes, then start them again: nodes with different keys do not find each other");
                },
                pool);
    }
}
