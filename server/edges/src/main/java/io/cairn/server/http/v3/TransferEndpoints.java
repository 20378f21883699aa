package io.cairn.server.http.v3;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.Author;
import io.cairn.server.config.transfer.ArchiveLayout;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.ConfigTransfer;
import io.cairn.server.config.transfer.CopyItem;
import io.cairn.server.config.transfer.TransferException;
import io.cairn.server.config.transfer.TransferPreview;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.config.transfer.TransferTarget;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.CopyItems;
import io.cairn.server.http.config.TransferActions;
import io.cairn.server.http.config.TransferOutlook;
import io.cairn.server.http.config.Transferred;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Export, import and clone in version 3, for administration and for consoles. */
public final class TransferEndpoints {

    private static final byte[] NOTHING = "{\"succCount\":0}".getBytes(StandardCharsets.UTF_8);
    private static final String ADMIN = "/v3/admin/cs/config";
    private static final String CONSOLE = "/v3/console/cs/config";
    private static final String NAMESPACE = "namespaceId";
    private static final String TARGET = "targetNamespaceId";
    private static final String BY =
            "policy dryRun:boolean validate:boolean srcUser src_user @X-Forwarded-For @X-Real-IP";

    // The action finds the configurations and checks the right for each of them.
    private static final Operation<HttpRequest> EXPORT = Operation.of("namespaceId dataId groupName appName ids")
            .needs(Right.some(Action.READ, ResourceType.CONFIG, NAMESPACE))
            .answers("string")
            .as(Operation.Wrapping.FILE)
            .says("Exports configurations as a zip archive");
    private static final Operation<HttpRequest> IMPORT = Operation.of(
                    Form.of("namespaceId " + BY).with(Form.Body.FILE))
            .needs(Right.some(Action.WRITE, ResourceType.CONFIG, NAMESPACE))
            .answers(Transferred.class)
            .tellsRevision()
            .says("Imports an archive, or shows what an import would do");
    private static final Operation<HttpRequest> COPY_ALL = Operation.of(
                    "sourceNamespaceId! namespaceId! dataId groupName appName " + BY)
            .needs(Right.some(Action.WRITE, ResourceType.CONFIG, NAMESPACE))
            .answers(Transferred.class)
            .tellsRevision()
            .says("Copies the configurations of a namespace to another one, or shows what that would do");

    private final TransferActions actions;
    private final ConfigTransfer transfer;
    private final Endpoints endpoints;

    public TransferEndpoints(TransferActions actions, ContainerErrors container) {
        this.actions = actions;
        this.transfer = actions.transfer();
        this.endpoints = new Endpoints(new Errors(V3.errors(container).forSingleParameters()));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get(ADMIN + "/export", EXPORT, this::export),
                endpoints.post(ADMIN + "/import", IMPORT, this::importArchive),
                endpoints.post(ADMIN + "/clone", copies(NAMESPACE, TARGET), request -> copy(request, NAMESPACE)),
                endpoints.post(ADMIN + "/clone/namespace", COPY_ALL, this::copyAll));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                endpoints.get(CONSOLE + "/export2", EXPORT, this::export),
                endpoints.post(CONSOLE + "/import", IMPORT, this::importArchive),
                endpoints.post(CONSOLE + "/clone", copies(TARGET, NAMESPACE), request -> copy(request, TARGET)));
    }

    /** @param other the name of the target on the other path, which is accepted instead */
    private static Operation<HttpRequest> copies(String target, String other) {
        return Operation.of(Form.of(target + "! " + other + ' ' + BY).with(Form.Body.JSON))
                .needs(Right.some(Action.WRITE, ResourceType.CONFIG, target))
                .answers(Transferred.class)
                .tellsRevision()
                .says("Copies configurations to a namespace, or shows what that would do");
    }

    private CompletionStage<HttpResponse> export(HttpRequest request) {
        String ids = request.parameter("ids");
        ConfigSelection selection = new ConfigSelection(
                ConfigLookup.namespace(request, NAMESPACE),
                ids == null ? List.of() : ConfigLookup.ids(ids),
                request.parameter("dataId"),
                request.parameter("groupName"),
                request.parameter("appName"));
        return actions.export(
                selection, ArchiveLayout.LISTED, request, V3.ENVELOPE.start(200), "application/octet-stream");
    }

    private CompletionStage<HttpResponse> importArchive(HttpRequest request) {
        TransferTarget target = target(request, ConfigLookup.namespace(request, NAMESPACE));
        byte[] archive = TransferActions.file(request);
        return isDryRun(request)
                ? transfer.previewImport(archive, target).thenApply(TransferEndpoints::preview)
                : transfer.importArchive(archive, target).thenApply(report -> report(report, request));
    }

    private CompletionStage<HttpResponse> copy(HttpRequest request, String usual) {
        // Each path has its own name for the target in Nacos; both are accepted. An empty one is the default namespace.
        String targetParameter = Stream.of(TARGET, NAMESPACE)
                .filter(request::has)
                .findFirst()
                .orElseThrow(() -> ParameterException.missing(usual));
        TransferTarget target = target(request, ConfigLookup.namespace(request, targetParameter));
        List<CopyItem> items = CopyItems.read(request.body());
        return isDryRun(request)
                ? transfer.previewCopy(items, target).thenApply(TransferEndpoints::preview)
                : transfer.copy(items, target).thenApply(report -> report(report, request));
    }

    private CompletionStage<HttpResponse> copyAll(HttpRequest request) {
        for (String required : List.of("sourceNamespaceId", NAMESPACE)) {
            if (!request.has(required)) {
                throw ParameterException.missing(required);
            }
        }
        TransferTarget target = target(request, ConfigLookup.namespace(request, NAMESPACE));
        ConfigSelection selection = new ConfigSelection(
                ConfigLookup.namespace(request, "sourceNamespaceId"),
                List.of(),
                request.parameter("dataId"),
                request.parameter("groupName"),
                request.parameter("appName"));
        return isDryRun(request)
                ? transfer.previewCopyAll(selection, target).thenApply(TransferEndpoints::preview)
                : transfer.copyAll(selection, target).thenApply(report -> report(report, request));
    }

    /** The target; the name of the author's parameter in version 1 is accepted too. */
    private static TransferTarget target(HttpRequest request, Namespace namespace) {
        String user = NamingParameters.text(request, "src_user");
        Author by = user == null ? ConfigForm.by(request) : ConfigForm.by(request, user);
        return TransferActions.target(request, namespace, by);
    }

    private static boolean isDryRun(HttpRequest request) {
        return NamingParameters.flag(request, "dryRun", false);
    }

    private static HttpResponse report(TransferReport report, HttpRequest request) {
        request.stored(report.lastRevision());
        return V3.ENVELOPE.written(Transferred.of(report));
    }

    private static HttpResponse preview(TransferPreview preview) {
        return V3.ENVELOPE.written(TransferOutlook.of(preview));
    }

    /** A refused transfer is answered with its own code and status 200. */
    private record Errors(EnvelopeErrors others) implements HttpErrors {

        @Override
        public HttpResponse failed(HttpRequest request, CairnException failure) {
            if (!(failure instanceof TransferException refused)) {
                return others.failed(request, failure);
            }
            return switch (refused.fault()) {
                case NO_SUCH_NAMESPACE -> V3.ENVELOPE.failureWith(200, DetailCode.NAMESPACE_NOT_FOUND, NOTHING);
                case ILLEGAL_METADATA -> failed(DetailCode.METADATA_ILLEGAL, refused);
                case ILLEGAL_CONFIG -> V3.ENVELOPE.failure(400, DetailCode.PARAMETER_INVALID, refused.text());
                case UNREADABLE -> failed(DetailCode.DATA_UNREADABLE, refused);
                case EMPTY, NO_CONFIGURATION -> failed(DetailCode.DATA_EMPTY, refused);
                case NOTHING_FOUND -> V3.ENVELOPE.failureWith(200, DetailCode.DATA_EMPTY, NOTHING);
                case NOTHING_SELECTED -> V3.ENVELOPE.failureWith(200, DetailCode.NOTHING_SELECTED, NOTHING);
            };
        }

        private static HttpResponse failed(DetailCode code, TransferException refused) {
            return V3.ENVELOPE.failureWith(200, code, refused.text(), NOTHING);
        }

        @Override
        public HttpResponse wrongMethod(HttpRequest request, String allowed) {
            return others.wrongMethod(request, allowed);
        }
    }
}
