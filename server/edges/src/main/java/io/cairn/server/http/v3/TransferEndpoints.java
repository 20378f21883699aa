package io.cairn.server.http.v3;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
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
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

public final class TransferEndpoints {

    private static final byte[] NOTHING = "{\"succCount\":0}".getBytes(StandardCharsets.UTF_8);
    private static final String ADMIN = "/v3/admin/cs/config";
    private static final String CONSOLE = "/v3/console/cs/config";
    private static final Parameter<String> NAMESPACE = NamingParameters.NAMESPACE_ID;
    private static final Parameter<String> TARGET = Parameter.exact("targetNamespaceId", "The namespace of the copies");
    private static final Parameter<String> SOURCE =
            Parameter.exact("sourceNamespaceId", "The namespace of the originals");
    private static final Parameter<String> DATA_ID = Parameter.exact("dataId", "The name; all when absent");
    private static final Parameter<String> GROUP = Parameter.exact("groupName", "The group; all when absent");
    private static final Parameter<String> APP_NAME = Parameter.exact("appName", "The application; all when absent");
    private static final Parameter<Boolean> DRY_RUN =
            Parameter.flag("dryRun", "Shows the result and stores nothing").orElse(false);
    private static final Parameter<String> OLD_SRC_USER = ConfigForm.SRC_USER.named("src_user");
    private static final List<Parameter<?>> BY = Form.of(
                    TransferActions.POLICY, DRY_RUN, ConfigForm.VALIDATE, ConfigForm.SRC_USER, OLD_SRC_USER)
            .and(ConfigForm.ADDRESS)
            .parameters();

    // The action finds the configurations and checks the right for each of them.
    private static final Operation<HttpRequest> EXPORT = Operation.of(
                    NAMESPACE, DATA_ID, GROUP, APP_NAME, ConfigLookup.IDS)
            .needs(Right.some(Action.READ, ResourceType.CONFIG, NAMESPACE))
            .answers("string")
            .as(Operation.Wrapping.FILE)
            .says("Exports configurations as a zip archive");
    private static final Operation<HttpRequest> IMPORT = Operation.of(
                    Form.of(NAMESPACE).and(BY).with(Form.Body.FILE))
            .needs(Right.some(Action.WRITE, ResourceType.CONFIG, NAMESPACE))
            .answers(Transferred.class)
            .answersRevision()
            .says("Imports an archive, or shows what an import would do");
    private static final Operation<HttpRequest> COPY_ALL = Operation.of(
                    Form.of(SOURCE.required(), NAMESPACE.required(), DATA_ID, GROUP, APP_NAME)
                            .and(BY))
            .needs(Right.some(Action.WRITE, ResourceType.CONFIG, NAMESPACE))
            .answers(Transferred.class)
            .answersRevision()
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
    private static Operation<HttpRequest> copies(Parameter<String> target, Parameter<String> other) {
        return Operation.of(Form.of(target.required(), other).and(BY).with(Form.Body.JSON))
                .needs(Right.some(Action.WRITE, ResourceType.CONFIG, target))
                .answers(Transferred.class)
                .answersRevision()
                .says("Copies configurations to a namespace, or shows what that would do");
    }

    private CompletionStage<HttpResponse> export(HttpRequest request) {
        String ids = ConfigLookup.IDS.orNull(request);
        ConfigSelection selection = new ConfigSelection(
                ConfigLookup.namespace(request, NAMESPACE),
                ids == null ? List.of() : ConfigLookup.ids(ids),
                DATA_ID.orNull(request),
                GROUP.orNull(request),
                APP_NAME.orNull(request));
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

    private CompletionStage<HttpResponse> copy(HttpRequest request, Parameter<String> usual) {
        // Each path has its own name for the target in Nacos; both are accepted. An empty one is the default namespace.
        Parameter<String> named = Stream.of(TARGET, NAMESPACE)
                .filter(parameter -> parameter.isIn(request))
                .findFirst()
                .orElseThrow(usual::missing);
        TransferTarget target = target(request, ConfigLookup.namespace(request, named));
        List<CopyItem> items = CopyItems.read(request.body());
        return isDryRun(request)
                ? transfer.previewCopy(items, target).thenApply(TransferEndpoints::preview)
                : transfer.copy(items, target).thenApply(report -> report(report, request));
    }

    private CompletionStage<HttpResponse> copyAll(HttpRequest request) {
        SOURCE.of(request);
        NAMESPACE.of(request);
        TransferTarget target = target(request, ConfigLookup.namespace(request, NAMESPACE));
        ConfigSelection selection = new ConfigSelection(
                ConfigLookup.namespace(request, SOURCE),
                List.of(),
                DATA_ID.orNull(request),
                GROUP.orNull(request),
                APP_NAME.orNull(request));
        return isDryRun(request)
                ? transfer.previewCopyAll(selection, target).thenApply(TransferEndpoints::preview)
                : transfer.copyAll(selection, target).thenApply(report -> report(report, request));
    }

    /** The target; also accepts the author's parameter of version 1. */
    private static TransferTarget target(HttpRequest request, Namespace namespace) {
        String user = OLD_SRC_USER.orNull(request);
        Author by = user == null ? ConfigForm.by(request) : ConfigForm.by(request, user);
        return TransferActions.target(request, namespace, by);
    }

    private static boolean isDryRun(HttpRequest request) {
        return DRY_RUN.of(request);
    }

    private static HttpResponse report(TransferReport report, HttpRequest request) {
        request.stored(report.lastRevision());
        return V3.ENVELOPE.written(Transferred.of(report));
    }

    private static HttpResponse preview(TransferPreview preview) {
        return V3.ENVELOPE.written(TransferOutlook.of(preview));
    }

    /** A refused transfer has its own code and status 200. */
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
