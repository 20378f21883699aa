package io.cairn.server.http.v3;

import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigJson;
import io.cairn.server.http.config.HistoryReads;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/cs/history} and {@code /v3/console/cs/history}: what configurations were. */
public final class HistoryEndpoints {

    private static final String KEY = "dataId! groupName! namespaceId ";

    /** In the words of the reference. */
    private static final HttpResponse NONE =
            V3.ENVELOPE.failure(400, DetailCode.PARAMETER_INVALID, "Source must not be null");

    private final HistoryReads reads;
    private final HistoryService history;
    private final EnvelopeErrors errors;

    public HistoryEndpoints(HistoryService history, ContainerErrors container) {
        this.history = history;
        this.reads = new HistoryReads(history, ConfigForm.V3, V3.ENVELOPE);
        this.errors = V3.errors(container).forSingleParameters("nid", "id");
    }

    public List<HttpRoute> adminRoutes() {
        return routes("/v3/admin/cs/history");
    }

    public List<HttpRoute> consoleRoutes() {
        return routes("/v3/console/cs/history");
    }

    private List<HttpRoute> routes(String path) {
        return List.of(
                HttpRoute.get(path + "/list", errors, this::list)
                        .does(OldOperation.of(
                                "Lists the changes of a configuration, the newest first, without contents",
                                KEY + "pageNo:integer pageSize:integer",
                                "Page of History")),
                HttpRoute.get(path, errors, this::get)
                        .does(OldOperation.of(
                                "Shows a change with its content", KEY + "nid!:integer", "HistoryDetail")),
                HttpRoute.get(path + "/previous", errors, this::previous)
                        .does(OldOperation.of(
                                "Shows what a configuration was before its last change",
                                KEY + "id!:integer",
                                "HistoryDetail")),
                HttpRoute.post(path + "/rollback", errors.forPublishing(), this::rollback)
                        .does(OldOperation.of(
                                "Undoes a change and whatever came after it, as a change of its own",
                                KEY + "nid!:integer srcUser validate:boolean @casMd5 @X-Forwarded-For @X-Real-IP",
                                "boolean")));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return reads.list(request, ConfigJson::history);
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        return reads.get(request, HistoryEndpoints::shown);
    }

    private CompletionStage<HttpResponse> previous(HttpRequest request) {
        return reads.previous(request, HistoryEndpoints::shown);
    }

    private static HttpResponse shown(Optional<HistoryEntry> found) {
        return found.map(entry -> {
                    byte[] json = ConfigJson.historyDetail(entry);
                    return V3.ENVELOPE.success(json.length, out -> out.json("data", json));
                })
                .orElse(NONE);
    }

    private CompletionStage<HttpResponse> rollback(HttpRequest request) {
        String expected = request.header("casMd5");
        return history.rollback(
                        ConfigForm.V3.key(request),
                        HistoryReads.id(request, "nid"),
                        expected == null || expected.isBlank() ? null : expected,
                        ConfigForm.validates(request),
                        ConfigForm.by(request))
                .thenCompose(done -> V3.TRUE);
    }
}
