package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.core.ServerProcess;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** {@code /v3/admin/core/process}: the process of this server, for operators. */
public final class ProcessEndpoints {

    private static final Operation<HttpRequest> DESCRIBE = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers(ServerProcess.ProcessDescription.class)
            .says("Describes the process of this server: its Java, its folders, the disk of the data folder in"
                    + " bytes, and its open files");

    private final ServerProcess process;
    private final Executor work;
    private final Endpoints endpoints;

    /** @param work a small bounded pool for access to the disk */
    public ProcessEndpoints(ServerProcess process, Executor work, ContainerErrors container) {
        this.process = process;
        this.work = work;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.get(
                "/v3/admin/core/process", DESCRIBE, request -> CompletableFuture.supplyAsync(process::describe, work)
                        .thenApply(V3.ENVELOPE::written)));
    }
}
