package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Finds configurations and changes what stands around their contents, for versions 2 and 3. Thread-safe; nothing blocks. */
public final class ConfigLookup {

    /** The search of version 3, whose parameters {@link #search} reads. */
    public static final Operation.Needs<HttpRequest> SEARCH = Operation.of(
                    "dataId groupName namespaceId appName configTags type configDetail"
                            + " search sort order pageNo:integer pageSize:integer" + Form.MIN_REVISION)
            .needs(Right.some(Action.READ, ResourceType.CONFIG, "namespaceId"));

    /** The list of the configurations of a namespace, in versions 2 and 3; {@link #ofNamespace} reads its parameters. */
    public static final Operation.Needs<HttpRequest> OF_NAMESPACE = Operation.of("namespaceId!" + Form.MIN_REVISION)
            .needs(Right.some(Action.READ, ResourceType.CONFIG, "namespaceId"));

    private final ConfigQueries queries;
    private final ConfigService configs;
    private final ChangeSetStore changes;
    private final BatchRemoval removal;

    public ConfigLookup(ConfigQueries queries, ConfigService configs, ChangeSetStore changes, BatchRemoval removal) {
        this.queries = queries;
        this.configs = configs;
        this.changes = changes;
        this.removal = removal;
    }

    public ConfigQueries queries() {
        return queries;
    }

    /** The page that a request of version 3 looks for. */
    public CompletionStage<PageBody<Config>> search(HttpRequest request) {
        ConfigCriteria.Words words = new ConfigCriteria.Words(
                namespace(request, "namespaceId"),
                request.parameter("dataId"),
                request.parameter("groupName"),
                request.parameter("appName"),
                request.parameter("configTags"),
                request.parameter("type"),
                request.parameter("configDetail"));
        ConfigOrder order = ConfigOrder.of(request.parameter("sort"), request.parameter("order"));
        return queries.search(
                        criteria(words, request.parameter("search"), true),
                        RequestCaller.readableConfigs(request, words.namespace()),
                        order,
                        HistoryReads.page(request),
                        false)
                .thenApply(
                        page -> PageBody.of(page.map(config -> Config.of(config, queries.grayEntries(config.key())))));
    }

    /** The criteria that the words stand for: as they are, or with wildcards. */
    public static ConfigCriteria criteria(ConfigCriteria.Words words, @Nullable String search, boolean blurIfAbsent) {
        boolean blur = search == null || search.isBlank() ? blurIfAbsent : search.equals("blur");
        return blur ? ConfigCriteria.blur(words) : ConfigCriteria.accurate(words);
    }

    /** The namespace in that parameter. */
    public static Namespace namespace(HttpRequest request, String parameter) {
        String id = request.parameter(parameter);
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    /** The namespace in {@code namespaceId}, which may be empty but not absent. */
    private static Namespace requiredNamespace(HttpRequest request) {
        if (!request.has("namespaceId")) {
            throw ParameterException.missing("namespaceId");
        }
        return namespace(request, "namespaceId");
    }

    /** The configurations of the namespace that a request names, as far as the caller may read them. */
    public CompletionStage<List<ConfigEntry>> ofNamespace(HttpRequest request) {
        Namespace namespace = requiredNamespace(request);
        return queries.entries(namespace, RequestCaller.readableConfigs(request, namespace));
    }

    /** Deletes the configurations with the numbers in {@code ids}. */
    public CompletionStage<Void> removeBatch(HttpRequest request) {
        String ids = request.parameter("ids");
        if (ids == null) {
            throw ParameterException.missing("ids");
        }
        return removal.remove(ids(ids), ConfigForm.by(request))
                .thenAccept(removed -> request.stored(removed.lastRevision()));
    }

    /** Reads numbers separated by commas. */
    public static List<Long> ids(String text) {
        List<Long> ids = new ArrayList<>();
        for (String id : text.split(",")) {
            if (!id.isBlank()) {
                try {
                    ids.add(Long.valueOf(id.trim()));
                } catch (NumberFormatException e) {
                    throw ParameterException.notANumber("ids", id, e);
                }
            }
        }
        return ids;
    }

    /**
     * Sets the description and the tags that the request names, and leaves the content as it is.
     *
     * @return false when there is no such configuration; fails with {@code CONFLICT} when its content changes meanwhile
     */
    public CompletionStage<Boolean> describe(ConfigKey key, HttpRequest request) {
        String description = request.parameter("desc");
        String tags = request.parameter("configTags");
        return queries.detail(key)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : describe(request, found.get(), description, tags));
    }

    private CompletionStage<Boolean> describe(
            HttpRequest request, StoredConfig stored, @Nullable String description, @Nullable String tags) {
        // With a publish, the configuration would come back when it is deleted meanwhile; the condition refuses that.
        ConfigEdit edit =
                new ConfigEdit.Put(described(request, stored, description, tags), Condition.digest(stored.md5()));
        return changes.apply(new ChangeSet(List.of(edit), ChangeSet.Mode.ALL_OR_NOTHING))
                .thenApply(result -> {
                    if (!result.conflicts().isEmpty()) {
                        throw new CairnException(ErrorCode.CONFLICT, "The configuration has changed meanwhile.");
                    }
                    request.stored(result.lastRevision());
                    return true;
                });
    }

    private PublishConfig described(
            HttpRequest request, StoredConfig stored, @Nullable String description, @Nullable String tags) {
        ConfigAttributes attributes = new ConfigAttributes(
                stored.type(),
                stored.appName(),
                description == null ? stored.description() : description,
                stored.use(),
                stored.effect(),
                stored.schema(),
                tags == null ? stored.tags() : List.of(tags),
                stored.encryptedDataKey());
        ConfigKey key = stored.key();
        return ConfigDraft.named(key.dataId(), key.group(), key.namespace().id())
                .content(stored.content())
                .attributes(attributes)
                .build()
                .check(configs.limits(), ConfigForm.by(request));
    }
}
