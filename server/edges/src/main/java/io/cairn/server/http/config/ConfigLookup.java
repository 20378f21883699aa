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
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Finds configurations and changes their descriptions, for versions 2 and 3. Does not block. */
public final class ConfigLookup {

    public static final Parameter<String> DATA_ID =
            Parameter.exact("dataId", "The name; with search=blur a part of it, or a pattern with *");
    public static final Parameter<String> GROUP =
            Parameter.exact("groupName", "The group; with search=blur a part of it, or a pattern with *");
    public static final Parameter<String> APP_NAME = Parameter.exact("appName", "The application");
    public static final Parameter<String> TAGS = Parameter.exact("configTags", "Labels, separated by commas");
    public static final Parameter<String> TYPES = Parameter.exact("type", "Types, separated by commas");
    public static final Parameter<String> DETAIL = Parameter.exact("configDetail", "A part of the content");
    public static final Parameter<String> SEARCH_MODE =
            Parameter.exact("search", "blur for parts and patterns, accurate for whole names");
    public static final Parameter<String> IDS =
            Parameter.exact("ids", "The numbers of configurations, separated by commas");
    private static final Parameter<String> SORT =
            Parameter.exact("sort", "The order").values("dataId", "group", "type", "modified");
    private static final Parameter<String> ORDER =
            Parameter.exact("order", "The direction of the order").values("asc", "desc");

    /** The search of version 3, whose parameters {@link #search} reads. */
    public static final Operation.Needs<HttpRequest> SEARCH = Operation.of(Form.of(
                            DATA_ID,
                            GROUP,
                            NamingParameters.NAMESPACE_ID,
                            APP_NAME,
                            TAGS,
                            TYPES,
                            DETAIL,
                            SEARCH_MODE,
                            SORT,
                            ORDER)
                    .and(PageParameters.POSITIVE.both())
                    .and(Form.MIN_REVISION))
            .needs(Right.some(Action.READ, ResourceType.CONFIG, NamingParameters.NAMESPACE_ID));

    /** The list of the configurations of a namespace, in versions 2 and 3; {@link #ofNamespace} reads its parameters. */
    public static final Operation.Needs<HttpRequest> OF_NAMESPACE = Operation.of(
                    NamingParameters.NAMESPACE_ID.required(), Form.MIN_REVISION)
            .needs(Right.some(Action.READ, ResourceType.CONFIG, NamingParameters.NAMESPACE_ID));

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

    public CompletionStage<PageBody<Config>> search(HttpRequest request) {
        ConfigCriteria.Words words = new ConfigCriteria.Words(
                NamingParameters.namespace(request),
                DATA_ID.orNull(request),
                GROUP.orNull(request),
                APP_NAME.orNull(request),
                TAGS.orNull(request),
                TYPES.orNull(request),
                DETAIL.orNull(request));
        ConfigOrder order = ConfigOrder.of(SORT.orNull(request), ORDER.orNull(request));
        ConfigQueries.Search search = new ConfigQueries.Search(
                criteria(words, SEARCH_MODE.orNull(request), true),
                RequestCaller.readableConfigs(request, words.namespace()),
                order,
                HistoryReads.page(request));
        return queries.search(search, false, request.lease())
                .thenApply(
                        page -> PageBody.of(page.map(config -> Config.of(config, queries.grayEntries(config.key())))));
    }

    /** Exact criteria, or criteria with wildcards. */
    public static ConfigCriteria criteria(ConfigCriteria.Words words, @Nullable String search, boolean blurIfAbsent) {
        boolean blur = search == null || search.isBlank() ? blurIfAbsent : search.equals("blur");
        return blur ? ConfigCriteria.blur(words) : ConfigCriteria.accurate(words);
    }

    public static Namespace namespace(HttpRequest request, Parameter<String> parameter) {
        String id = parameter.orNull(request);
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    /** The namespace in {@code namespaceId}, which may be empty but not absent. */
    private static Namespace requiredNamespace(HttpRequest request) {
        NamingParameters.NAMESPACE_ID.of(request);
        return NamingParameters.namespace(request);
    }

    /** The configurations of a namespace that the caller may read. */
    public CompletionStage<List<ConfigEntry>> ofNamespace(HttpRequest request) {
        Namespace namespace = requiredNamespace(request);
        return queries.entries(namespace, RequestCaller.readableConfigs(request, namespace));
    }

    /** Deletes the configurations with the numbers in {@link #IDS}. */
    public CompletionStage<Void> removeBatch(HttpRequest request) {
        return removal.remove(ids(IDS.of(request)), ConfigForm.by(request))
                .thenAccept(removed -> request.stored(removed.lastRevision()));
    }

    public static List<Long> ids(String text) {
        List<Long> ids = new ArrayList<>();
        for (String id : text.split(",")) {
            if (!id.isBlank()) {
                try {
                    ids.add(Long.valueOf(id.trim()));
                } catch (NumberFormatException e) {
                    throw ParameterException.notANumber(IDS.name(), id, e);
                }
            }
        }
        return ids;
    }

    /**
     * Sets description and tags, and keeps the content.
     *
     * @return false without such a configuration; fails with {@code CONFLICT} when its content changes meanwhile
     */
    public CompletionStage<Boolean> describe(ConfigKey key, HttpRequest request) {
        String description = ConfigForm.DESCRIPTION.orNull(request);
        String tags = ConfigForm.TAGS.orNull(request);
        return queries.detail(key, request.lease())
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : describe(request, found.get(), description, tags));
    }

    private CompletionStage<Boolean> describe(
            HttpRequest request, StoredConfig stored, @Nullable String description, @Nullable String tags) {
        // A publish would restore a configuration that is deleted meanwhile; the condition refuses that.
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
