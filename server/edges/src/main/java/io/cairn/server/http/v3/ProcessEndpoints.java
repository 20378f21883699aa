package io.cairn.server.http.v3;

import io.cairn.server.http.core.ServerProcess;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** {@code /v3/admin/core/process}: which process this server is, for somebody who looks after its machine. */
public final class ProcessEndpoints {

    private final ServerProcess process;
    private final Executor work;
    private final ContainerErrors container;

    /** @param work a small bounded pool on which the disk is looked at */
    public ProcessEndpoints(ServerProcess process, Executor work, ContainerErrors container) {
        this.process = process;
        this.work = work;
        this.container = container;
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get("/v3/admin/core/process", V3.errors(container), call -> CompletableFuture.supplyAsync(
                                        process::json, work)
                                .thenApply(json -> V3.ENVELOPE.success(json.length, out -> out.json("data", json))))
                        .does(OldOperation.of(
                                "Describes the process of this server: its Java, its folders, the disk of the data folder in"
                                        + " bytes, and its open files",
                                "",
                                "Process")));
    }
}
