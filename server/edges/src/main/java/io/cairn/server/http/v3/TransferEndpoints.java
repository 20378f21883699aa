package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.Author;
import io.cairn.server.config.transfer.ArchiveLayout;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.ConfigTransfer;
import io.cairn.server.config.transfer.ConflictPolicy;
import io.cairn.server.config.transfer.CopyItem;
import io.cairn.server.config.transfer.TransferException;
import io.cairn.server.config.transfer.TransferFile;
import io.cairn.server.config.transfer.TransferPreview;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.config.transfer.TransferTarget;
import io.cairn.server.config.transfer.UnrecognizedEntry;
import io.cairn.server.http.FileBody;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.CopyItems;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Export, import and clone in version 3, for administration and for consoles. */
public final class TransferEndpoints {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneId.systemDefault());
    private static final byte[] NOTHING = "{\"succCount\":0}".getBytes(StandardCharsets.UTF_8);
    private static final String ADMIN = "/v3/admin/cs/config";
    private static final String CONSOLE = "/v3/console/cs/config";
    private static final String BY =
            "policy dryRun:boolean validate:boolean srcUser src_user @X-Forwarded-For @X-Real-IP";
    private static final OldOperation EXPORT = OldOperation.of(
                    "Exports configurations as a zip archive", "namespaceId dataId groupName appName ids", "string")
            .as(OldOperation.Form.FILE);
    private static final OldOperation IMPORT = OldOperation.of(
                    "Imports an archive, or tells what an import would do", "namespaceId " + BY, "Transferred")
            .with(OldOperation.Body.FILE);

    private final ConfigTransfer transfer;
    private final HttpErrors errors;
    private final Clock clock;
    private final Executor work;

    /** @param work a small bounded pool on which archives are read back */
    public TransferEndpoints(ConfigTransfer transfer, ContainerErrors container, Clock clock, Executor work) {
        this.transfer = transfer;
        this.errors = new Errors(V3.errors(container).forSingleParameters());
        this.clock = clock;
        this.work = work;
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get(ADMIN + "/export", errors, this::export).does(EXPORT),
                HttpRoute.post(ADMIN + "/import", errors, this::importArchive).does(IMPORT),
                HttpRoute.post(ADMIN + "/clone", errors, request -> copy(request, "namespaceId"))
                        .does(copies("namespaceId", "targetNamespaceId")),
                HttpRoute.post(ADMIN + "/clone/namespace", errors, this::copyAll)
                        .does(OldOperation.of(
                                "Copies the configurations of a namespace to another one, or tells what that would do",
                                "sourceNamespaceId! namespaceId! dataId groupName appName " + BY,
                                "Transferred")));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                HttpRoute.get(CONSOLE + "/export2", errors, this::export).does(EXPORT),
                HttpRoute.post(CONSOLE + "/import", errors, this::importArchive).does(IMPORT),
                HttpRoute.post(CONSOLE + "/clone", errors, request -> copy(request, "targetNamespaceId"))
                        .does(copies("targetNamespaceId", "namespaceId")));
    }

    /** @param other the name that the target has on the other path, which is taken in its place */
    private static OldOperation copies(String target, String other) {
        return OldOperation.of(
                        "Copies configurations to a namespace, or tells what that would do",
                        target + "! " + other + ' ' + BY,
                        "Transferred")
                .with(OldOperation.Body.JSON);
    }

    private CompletionStage<HttpResponse> export(HttpRequest request) {
        String ids = request.parameter("ids");
        ConfigSelection selection = new ConfigSelection(
                ConfigLookup.namespace(request, "namespaceId"),
                ids == null ? List.of() : ConfigLookup.ids(ids),
                request.parameter("dataId"),
                request.parameter("groupName"),
                request.parameter("appName"));
        return transfer.exportArchive(
                        selection,
                        ArchiveLayout.LISTED,
                        RequestCaller.of(request).principal()::mayRead)
                .thenApply(this::archive);
    }

    private HttpResponse archive(TransferFile archive) {
        return V3.ENVELOPE
                .start(200)
                .header(
                        "Content-Disposition",
                        "attachment;filename=nacos_config_export_" + STAMP.format(clock.instant()) + ".zip")
                .contentType("application/octet-stream")
                .body(new FileBody(archive.path(), archive.sizeBytes(), work, archive::close));
    }

    private CompletionStage<HttpResponse> importArchive(HttpRequest request) {
        TransferTarget target = target(request, ConfigLookup.namespace(request, "namespaceId"));
        byte[] archive = request.file("file");
        if (archive == null) {
            throw new TransferException(TransferException.Fault.NO_CONFIGURATION, "The form has no file 'file'");
        }
        return isDryRun(request)
                ? transfer.previewImport(archive, target).thenApply(TransferEndpoints::preview)
                : transfer.importArchive(archive, target).thenApply(TransferEndpoints::report);
    }

    private CompletionStage<HttpResponse> copy(HttpRequest request, String usual) {
        // Each path has its own name for it in Nacos; either is taken. An empty one is the default namespace.
        String targetParameter = Stream.of("targetNamespaceId", "namespaceId")
                .filter(request::has)
                .findFirst()
                .orElseThrow(() -> ParameterException.missing(usual));
        TransferTarget target = target(request, ConfigLookup.namespace(request, targetParameter));
        List<CopyItem> items = CopyItems.read(request.body());
        return isDryRun(request)
                ? transfer.previewCopy(items, target).thenApply(TransferEndpoints::preview)
                : transfer.copy(items, target).thenApply(TransferEndpoints::report);
    }

    private CompletionStage<HttpResponse> copyAll(HttpRequest request) {
        for (String required : List.of("sourceNamespaceId", "namespaceId")) {
            if (!request.has(required)) {
                throw ParameterException.missing(required);
            }
        }
        TransferTarget target = target(request, ConfigLookup.namespace(request, "namespaceId"));
        ConfigSelection selection = new ConfigSelection(
                ConfigLookup.namespace(request, "sourceNamespaceId"),
                List.of(),
                request.parameter("dataId"),
                request.parameter("groupName"),
                request.parameter("appName"));
        return isDryRun(request)
                ? transfer.previewCopyAll(selection, target).thenApply(TransferEndpoints::preview)
                : transfer.copyAll(selection, target).thenApply(TransferEndpoints::report);
    }

    private static TransferTarget target(HttpRequest request, Namespace namespace) {
        String user = request.parameter("src_user");
        Author by = ConfigForm.by(request);
        return new TransferTarget(
                namespace,
                ConflictPolicy.of(request.parameter("policy")),
                ConfigForm.validates(request),
                user == null || user.isBlank() ? by : new Author(user, by.address(), by.caller()));
    }

    private static boolean isDryRun(HttpRequest request) {
        return NamingParameters.flag(request, "dryRun", false);
    }

    private static HttpResponse report(TransferReport report) {
        JsonOutput out = new JsonOutput(256)
                .number("succCount", report.stored())
                .number("skipCount", report.skipped().size());
        keys(out, "failData", report.failed());
        keys(out, "skipData", report.skipped());
        unrecognized(out, report.unrecognized());
        return data(out);
    }

    private static void keys(JsonOutput out, String name, List<ConfigKey> keys) {
        if (!keys.isEmpty()) {
            out.objects(
                    name, keys, (key, item) -> item.text("dataId", key.dataId()).text("group", key.group()));
        }
    }

    private static void unrecognized(JsonOutput out, List<UnrecognizedEntry> entries) {
        if (!entries.isEmpty()) {
            out.number("unrecognizedCount", entries.size())
                    .objects("unrecognizedData", entries, (entry, item) -> item.text("itemName", entry.name())
                            .text("reason", entry.reason()));
        }
    }

    private static HttpResponse preview(TransferPreview preview) {
        TransferPreview.Counts counts = preview.counts();
        JsonOutput out = new JsonOutput(1024)
                .number("create", counts.create())
                .number("update", counts.update())
                .number("same", counts.same())
                .number("skip", counts.skip())
                .number("fail", counts.fail())
                .number("invalid", counts.invalid())
                .objects("items", preview.items(), (item, json) -> json.text(
                                "namespaceId", item.key().namespace().id())
                        .text("groupName", item.key().group())
                        .text("dataId", item.key().dataId())
                        .text("action", item.action().name())
                        .textOrNull(
                                "md5Before", item.before().map(Object::toString).orElse(null))
                        .text("md5", item.now().toString())
                        .text("diff", item.diff())
                        .flag("diffIsCut", item.isCut())
                        .textOrNull("problem", item.problem().orElse(null)));
        unrecognized(out, preview.unrecognized());
        return data(out);
    }

    private static HttpResponse data(JsonOutput out) {
        byte[] json = out.toBytes();
        return V3.ENVELOPE.success(json.length, field -> field.json("data", json));
    }

    /** What cannot be transferred has a code of its own, and status 200. */
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
