package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.History;
import io.cairn.server.http.config.HistoryDetail;
import io.cairn.server.http.config.HistoryReads;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

public final class HistoryEndpoints {

    /** As in Nacos. */
    private static final HttpResponse NONE =
            V3.ENVELOPE.failure(400, DetailCode.PARAMETER_INVALID, "Source must not be null");

    private static final Operation<ConfigKey> ROLLBACK = Operation.of(ConfigForm.V3
                    .namesAnd(
                            HistoryReads.NID.required(),
                            ConfigForm.SRC_USER,
                            ConfigForm.EXPECTED_MD5,
                            ConfigForm.VALIDATE,
                            ConfigForm.EXPECTED_MD5_HEADER)
                    .and(ConfigForm.ADDRESS))
            .needs(ConfigForm.WRITE)
            .answers("boolean")
            .answersRevision()
            .says("Undoes a change and all later ones, as a new change");

    private final HistoryReads reads;
    private final HistoryService history;
    private final Endpoints reading;
    private final Endpoints publishing;

    public HistoryEndpoints(HistoryService history, ContainerErrors container) {
        this.history = history;
        this.reads = new HistoryReads(
                history,
                ConfigForm.V3,
                V3.ENVELOPE,
                new HistoryReads.Words<>(History.class, History::of, HistoryDetail.class, HistoryDetail::of, NONE));
        EnvelopeErrors errors = V3.errors(container).forSingleParameters("nid", "id");
        this.reading = new Endpoints(errors);
        this.publishing = new Endpoints(errors.forPublishing());
    }

    public List<HttpRoute> adminRoutes() {
        return routes("/v3/admin/cs/history");
    }

    public List<HttpRoute> consoleRoutes() {
        return routes("/v3/console/cs/history");
    }

    private List<HttpRoute> routes(String path) {
        List<HttpRoute> routes = new ArrayList<>(reads.routes(path, reading));
        routes.add(publishing.post(path + "/rollback", ROLLBACK, this::rollback));
        return routes;
    }

    private CompletionStage<HttpResponse> rollback(ConfigKey key, HttpRequest http) {
        return history.rollback(
                        key,
                        HistoryReads.NID.of(http),
                        ConfigForm.expectedMd5(http),
                        ConfigForm.validates(http),
                        ConfigForm.by(http),
                        http.lease())
                .thenCompose(done -> {
                    done.change().ifPresent(change -> http.stored(change.revision()));
                    return V3.TRUE;
                });
    }
}
