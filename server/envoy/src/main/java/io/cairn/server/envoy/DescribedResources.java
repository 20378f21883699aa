package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.cairn.api.config.ConfigType;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.validation.ContentTree;
import io.cairn.server.config.validation.ContentValidator;
import io.cairn.server.config.validation.Problem;
import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.StoredName;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and checks resources by the descriptors of Envoy's API. */
final class DescribedResources implements EnvoyResources {

    private static final String TYPE = "@type";
    private static final String NAME = "name";

    private final ApiDescriptors api;
    private final boolean refuseUnknownFields;
    private final ContentValidator validator = new ContentValidator();

    private DescribedResources(ApiDescriptors api, UnknownFields unknownFields) {
        this.api = api;
        this.refuseUnknownFields = unknownFields == UnknownFields.REFUSE;
    }

    /**
     * @param file the descriptors; null for the built-in ones
     * @throws CairnException {@code UNAVAILABLE} for unreadable descriptors, or others than Envoy's
     */
    static EnvoyResources load(@Nullable Path file, UnknownFields unknownFields) {
        ApiDescriptors api = ApiDescriptors.read(file);
        for (StoredName.Kind kind : StoredName.Kind.values()) {
            if (api.message(kind.messageName()) == null) {
                throw new CairnException(
                        ErrorCode.UNAVAILABLE,
                        "cairn.xds.descriptors: " + file + " has no message " + kind.messageName()
                                + " (expected: the descriptors of Envoy's API)");
            }
        }
        return new DescribedResources(api, unknownFields);
    }

    @Override
    public Checked check(StoredName name, String content) {
        Descriptor type = Objects.requireNonNull(api.message(name.kind().messageName()));
        String text = content.startsWith("\ufeff") ? content.substring(1) : content;
        ConfigType form = isJson(text) ? ConfigType.JSON : ConfigType.YAML;
        Optional<Problem> malformed = validator.check(form, text);
        if (malformed.isPresent()) {
            return refused(malformed.get());
        }
        ContentTree tree = ContentTree.of(form, text).orElseThrow();
        if (tree.documents().size() != 1) {
            return refused(new Problem(
                    0,
                    0,
                    tree.documents().isEmpty()
                            ? "it has no resource (expected: one)"
                            : "it has " + tree.documents().size() + " documents (expected: one resource)"));
        }
        if (!(tree.documents().get(0) instanceof ObjectNode root)) {
            return refused(tree.problemOf(
                    0, List.of(), "it is no mapping (expected: the fields of " + type.getFullName() + ")"));
        }
        return check(type, name, tree, root.deepCopy());
    }

    /** JSON is YAML except for details such as tabs, so only valid JSON is read as JSON. */
    private boolean isJson(String text) {
        return text.stripLeading().startsWith("{")
                && validator.check(ConfigType.JSON, text).isEmpty();
    }

    private Checked check(Descriptor type, StoredName name, ContentTree tree, ObjectNode root) {
        Report report = new Report(tree);
        checkType(root.remove(TYPE), name, report);
        checkName(root, name, report);
        Optional<DynamicMessage> read = new MessageReader(api, refuseUnknownFields, report).read(type, root);
        ClusterNames clusters = new ClusterNames();
        RouteNames routes = new RouteNames();
        read.ifPresent(message -> new ResourceWalk(
                        api,
                        List.of(
                                new RuleCheck(api.rules(), report),
                                new FieldCheck(report),
                                new StructureCheck(report),
                                clusters,
                                routes))
                .walk(message, root, Place.WHOLE));
        if (report.hasProblems() || read.isEmpty()) {
            return new Checked(null, report.problems(), report.warnings());
        }
        Message message = read.get();
        new ResourceWalk(
                        api,
                        List.of(
                                new RouteCheck(report),
                                new FilterCheck(report),
                                new ListenerCheck(report),
                                new ClusterCheck(report)))
                .walk(message, root, Place.WHOLE);
        EnvoyResource resource = new EnvoyResource(
                name.kind().typeUrl(),
                name.name(),
                message.toByteArray(),
                clusters.names(),
                routes.names(),
                MessageValues.has(message, "api_listener"));
        return new Checked(resource, report.problems(), report.warnings());
    }

    private static void checkType(@Nullable JsonNode written, StoredName name, Report report) {
        String expected = name.kind().typeUrl();
        if (written != null && !written.asString("").equals(expected)) {
            report.problem(
                    Place.WHOLE.field(TYPE),
                    "'" + written.asString("") + "' (expected: " + expected + ", as the dataId says)");
        }
    }

    /** Checks that the resource has the name of its dataId, or sets it. */
    private static void checkName(ObjectNode root, StoredName name, Report report) {
        JsonNode written = root.get(NAME);
        if (written == null
                || written.isNull()
                || written.isString() && written.stringValue().isEmpty()) {
            root.put(NAME, name.name());
        } else if (!written.asString("").equals(name.name())) {
            report.problem(
                    Place.WHOLE.field(NAME),
                    "'" + written.asString("") + "' (expected: '" + name.name() + "', as the dataId says, or none)");
        }
    }

    private static Checked refused(Problem problem) {
        return new Checked(
                null, List.of(new ResourceProblem("", problem.line(), problem.column(), problem.message())), List.of());
    }

    @Override
    public String json(String typeUrl, byte[] value) {
        Descriptor type = api.messageOfUrl(typeUrl);
        if (type == null) {
            throw new IllegalArgumentException(typeUrl + " is no type of Envoy's API as the server knows it");
        }
        try {
            return JsonFormat.printer()
                    .usingTypeRegistry(api.types())
                    .preservingProtoFieldNames()
                    .print(DynamicMessage.parseFrom(type, value));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("the bytes are no " + type.getFullName() + ": " + e.getMessage(), e);
        }
    }
}
