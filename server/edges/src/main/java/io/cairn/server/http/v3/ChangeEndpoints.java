package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.UnifiedDiff;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.auth.Action;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.history.PastContent;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.Change;
import io.cairn.server.http.config.Comparison;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ValueAtTime;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Additions to Nacos: change sets, comparison of two versions, the content at some time. */
public final class ChangeEndpoints {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String BASE = "/v3/admin/cs/config";
    private static final String PRESENT = "present";
    private static final int MAX_DIFF_CHARS = 4 << 20;

    private static final Parameter<String> FROM = Parameter.text("from", "The version: the id of a change, or present");
    private static final Parameter<String> TO =
            Parameter.text("to", "The version that it is compared with").orElse(PRESENT);
    private static final Parameter<Instant> TIME = Parameter.text(
                    "time", "The time, in epoch milliseconds or ISO 8601 with an offset")
            .as(ChangeEndpoints::time);

    private static final Operation<HttpRequest> CHANGESET = Operation.of(
                    Form.of(ConfigForm.SRC_USER, ConfigForm.VALIDATE)
                            .and(ConfigForm.ADDRESS)
                            .with(Form.Body.JSON))
            .needs(Right.anywhere(Action.WRITE))
            .answers(Answer.listOf(Change.class))
            .answersRevision()
            .says("Publishes and deletes several configurations in one transaction, all or none");
    private static final Operation<ConfigKey> COMPARE = Operation.of(ConfigForm.V3.namesAnd(FROM.required(), TO))
            .needs(ConfigForm.READ)
            .answers(Comparison.class)
            .says("Compares two versions: ids of changes, or present");
    private static final Operation<ConfigKey> AT = Operation.of(ConfigForm.V3.namesAnd(TIME.required()))
            .needs(ConfigForm.READ)
            .answers(ValueAtTime.class)
            .says("Shows the content of a configuration at a time, in epoch milliseconds or ISO 8601");

    private final ValidatedPublishing publishing;
    private final ConfigService configs;
    private final ConfigActions actions;
    private final HistoryService history;
    private final Endpoints endpoints;

    public ChangeEndpoints(
            ValidatedPublishing publishing,
            ConfigService configs,
            ConfigActions actions,
            HistoryService history,
            ContainerErrors container) {
        this.publishing = publishing;
        this.configs = configs;
        this.actions = actions;
        this.history = history;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.post(BASE + "/changeset", CHANGESET, this::apply),
                endpoints.get(BASE + "/compare", COMPARE, this::compare),
                endpoints.get(BASE + "/at", AT, this::at));
    }

    private CompletionStage<HttpResponse> apply(HttpRequest request) {
        ChangeSet set = new ChangeSet(edits(request), ChangeSet.Mode.ALL_OR_NOTHING);
        return publishing.apply(set, ConfigForm.validates(request)).thenApply(result -> {
            request.stored(result.lastRevision());
            List<Record> outcomes = result.outcomes().stream().map(Change::of).toList();
            return result.conflicts().isEmpty()
                    ? V3.ENVELOPE.written(outcomes)
                    : V3.ENVELOPE.failureWith(409, DetailCode.RESOURCE_CONFLICT, JsonBody.of(outcomes));
        });
    }

    private List<ConfigEdit> edits(HttpRequest request) {
        Author by = ConfigForm.by(request);
        List<ConfigEdit> edits = new ArrayList<>();
        try {
            for (JsonNode change : JSON.readTree(request.body()).path("changes")) {
                edits.add(edit(change, by));
            }
        } catch (JacksonException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "body: not JSON (expected: an object with a list 'changes')", e);
        }
        return edits;
    }

    private ConfigEdit edit(JsonNode change, Author by) {
        String dataId = text(change, "dataId");
        String group = text(change, "groupName");
        String namespace = text(change, "namespaceId");
        ParameterCheck.config(dataId, group, namespace);
        String md5 = text(change, "expectedMd5");
        // An empty digest demands that the configuration is absent.
        Condition condition = md5 == null ? Condition.NONE : md5.isEmpty() ? Condition.ABSENT : Condition.digest(md5);
        ConfigKey key = ConfigDraft.key(dataId, group, namespace);
        by.mustMayWrite(key);
        if (change.path("delete").asBoolean(false)) {
            return new ConfigEdit.Remove(new RemoveConfig(key, null, by), condition);
        }
        ConfigDraft draft = ConfigDraft.named(dataId, group, namespace)
                .content(text(change, "content"))
                .attributes("configTags", name -> text(change, name))
                .build();
        return new ConfigEdit.Put(draft.check(configs.limits(), by), condition);
    }

    private static @Nullable String text(JsonNode node, String name) {
        return node.path(name).asString(null);
    }

    /** A compared version, without a content if absent. */
    private record Version(
            String name, @Nullable String content, @Nullable String md5) {

        static Version absent(String name) {
            return new Version(name, null, null);
        }
    }

    private CompletionStage<HttpResponse> compare(ConfigKey key, HttpRequest http) {
        String from = FROM.of(http).trim();
        String to = TO.of(http).trim();
        return version(key, from, http.lease()).thenCombine(version(key, to, http.lease()), ChangeEndpoints::compared);
    }

    private static HttpResponse compared(Version from, Version to) {
        UnifiedDiff diff =
                UnifiedDiff.between(from.name, orEmpty(from.content), to.name, orEmpty(to.content), MAX_DIFF_CHARS);
        return V3.ENVELOPE.written(new Comparison(from.md5, to.md5, diff.text().isEmpty(), diff.text(), diff.isCut()));
    }

    private static String orEmpty(@Nullable String content) {
        return content == null ? "" : content;
    }

    private CompletionStage<Version> version(ConfigKey key, String which, MemoryLease lease) {
        if (which.equals(PRESENT)) {
            return present(key, lease);
        }
        long id;
        try {
            id = Long.parseLong(which);
        } catch (NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "version: '" + which + "' (expected: the id of a change, or present)",
                    e);
        }
        return history.find(id, lease).thenApply(found -> {
            HistoryEntry entry = found.filter(change -> change.key().equals(key))
                    .orElseThrow(() -> new CairnException(
                            ErrorCode.NOT_FOUND, "version: " + id + ": there is no such change of " + key));
            return new Version(which, entry.content(), entry.md5());
        });
    }

    private CompletionStage<Version> present(ConfigKey key, MemoryLease lease) {
        return actions.read(key).thenApply(found -> found.map(version -> {
                    lease.reserveContent(version.length());
                    return new Version(
                            PRESENT,
                            new String(version.utf8(), StandardCharsets.UTF_8),
                            version.entry().digest().toString());
                })
                .orElseGet(() -> Version.absent(PRESENT)));
    }

    private CompletionStage<HttpResponse> at(ConfigKey key, HttpRequest http) {
        Instant time = TIME.of(http);
        return history.at(key, time, http.lease())
                .thenApply(was -> V3.ENVELOPE.written(new ValueAtTime(
                        time.toEpochMilli(),
                        was.isPresent(),
                        was.map(PastContent::md5).orElse(null),
                        was.map(PastContent::content).orElse(null))));
    }

    private static Instant time(String text) {
        String given = text.trim();
        try {
            return given.chars().allMatch(c -> c >= '0' && c <= '9')
                    ? Instant.ofEpochMilli(Long.parseLong(given))
                    : OffsetDateTime.parse(given).toInstant();
        } catch (DateTimeException | NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "time: '" + text + "' (expected: epoch milliseconds, or ISO 8601 with an offset)",
                    e);
        }
    }
}
