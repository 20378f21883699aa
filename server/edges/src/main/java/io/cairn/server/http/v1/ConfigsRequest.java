package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.PublishRequest;
import io.cairn.server.http.config.TransferActions;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request of {@code /v1/cs/configs}. Its parameters decide its purpose, once; right and action follow.
 *
 * @param namespace of the configurations
 * @param key null for many configurations
 */
record ConfigsRequest(
        Purpose purpose, Namespace namespace, @Nullable ConfigKey key) {

    static final Parameter<String> SEARCH =
            Parameter.exact("search", "Lists configurations: accurate by whole names, blur by parts and patterns");
    static final Parameter<String> EXPORT_LISTED =
            Parameter.exact("exportV2", "With true, exports with a list of metadata");
    static final Parameter<String> TAGS = ConfigForm.TAGS.named("config_tags");
    static final Parameter<String> TARGET = Parameter.exact("namespace", "The namespace of an import");
    private static final Parameter<String> SHOW = Parameter.exact("show", "With all, shows the details");
    private static final Parameter<String> BETA = Parameter.exact("beta", "With true, the release for some addresses");
    private static final Parameter<String> EXPORT = Parameter.exact("export", "With true, exports");
    private static final Parameter<String> IMPORT = Parameter.exact("import", "With true, imports an archive");
    private static final Parameter<String> CLONE = Parameter.exact("clone", "With true, copies configurations");
    private static final Parameter<String> DEL_TYPE = Parameter.exact("delType", "With ids, deletes those of ids");

    private static final Form<ConfigKey> NAMES =
            V1Forms.NAMES.and(SEARCH, SHOW, BETA, EXPORT, EXPORT_LISTED, IMPORT, CLONE, DEL_TYPE);

    static final Operation<ConfigsRequest> GET = Operation.of(NAMES.and(
                            ConfigForm.TAG,
                            ConfigLookups.APP_NAME,
                            ConfigLookups.TAGS,
                            ConfigLookups.DETAIL,
                            ConfigLookups.TYPES,
                            ConfigLookup.IDS,
                            V1Pages.NUMBER,
                            V1Pages.SIZE,
                            ConfigActions.CLIENT_TAG)
                    .and(ConfigForm.ADDRESS)
                    .and(Form.MIN_REVISION)
                    .as(ConfigsRequest::get))
            .needs(right(Action.READ, Right.some(Action.READ, ResourceType.CONFIG, ConfigsRequest::namespace)))
            .answers("string")
            .says(
                    "Reads a content; with search, show, beta, export or exportV2 looks up, shows or exports configurations");

    static final Operation<ConfigsRequest> DELETE = Operation.of(
                    NAMES.and(ConfigForm.TAG, ConfigLookup.IDS, V1Forms.SRC_USER)
                            .and(ConfigForm.ADDRESS)
                            .as(ConfigsRequest::delete))
            .needs(right(Action.WRITE, Right.anywhere(Action.WRITE)))
            .answers("boolean")
            .answersRevision()
            .says("Deletes a configuration; with beta its release for some addresses, with delType several");

    static final Operation<Posted> POST = Operation.of(NAMES.and(
                            ConfigForm.CONTENT.required(),
                            ConfigForm.TAG,
                            ConfigForm.APP_NAME,
                            V1Forms.SRC_USER,
                            TAGS,
                            ConfigForm.DESCRIPTION)
                    .and(ConfigForm.MORE_ATTRIBUTES)
                    .and(
                            TARGET,
                            TransferActions.POLICY,
                            ConfigForm.EXPECTED_MD5,
                            ConfigForm.VALIDATE,
                            ConfigForm.BETA_IPS,
                            ConfigForm.EXPECTED_MD5_HEADER)
                    .and(ConfigForm.ADDRESS)
                    .as(Posted::read))
            .needs(Posted.RIGHT)
            .answers("boolean")
            .answersRevision()
            .says("Publishes a content; with import or clone, many configurations");

    enum Purpose {
        READ,
        SHOW_DETAIL,
        SHOW_BETA,
        SEARCH,
        EXPORT,
        REMOVE,
        STOP_BETA,
        REMOVE_BY_IDS,
        PUBLISH,
        IMPORT,
        COPY
    }

    /**
     * A {@code POST}.
     *
     * @param namespace the target of an import or copy
     * @param publish null for an import or copy
     */
    record Posted(
            Purpose purpose, Namespace namespace, @Nullable PublishRequest publish) {

        private static final Right<Posted> ONE =
                Right.config(Action.WRITE, posted -> Objects.requireNonNull(posted.publish, "publish")
                        .key());
        private static final Right<Posted> MANY = Right.some(Action.WRITE, ResourceType.CONFIG, Posted::namespace);
        private static final Right<Posted> RIGHT = Right.either(posted -> posted.publish != null ? ONE : MANY);

        private static Posted read(HttpRequest request) {
            if (is(request, IMPORT, "true")) {
                return new Posted(Purpose.IMPORT, namespaceIn(request, TARGET), null);
            }
            if (is(request, CLONE, "true")) {
                return new Posted(Purpose.COPY, namespaceIn(request, V1Forms.TENANT), null);
            }
            ConfigKey key = V1Forms.key(request, ConfigForm.CONTENT);
            return new Posted(
                    Purpose.PUBLISH,
                    key.namespace(),
                    new PublishRequest(
                            key,
                            ConfigForm.draft(request, key, TAGS),
                            null,
                            ConfigForm.validates(request),
                            V1Forms.SRC_USER.orNull(request)));
        }
    }

    private static Right<ConfigsRequest> right(Action action, Right<ConfigsRequest> many) {
        Right<ConfigsRequest> one = Right.config(action, request -> Objects.requireNonNull(request.key, "key"));
        return Right.either(request -> request.key != null ? one : many);
    }

    private static ConfigsRequest get(HttpRequest request) {
        if (is(request, SEARCH, "accurate") || is(request, SEARCH, "blur")) {
            return new ConfigsRequest(Purpose.SEARCH, namespaceIn(request, V1Forms.TENANT), null);
        }
        if (is(request, SHOW, "all")) {
            return ofOne(Purpose.SHOW_DETAIL, request);
        }
        if (is(request, EXPORT, "true") || is(request, EXPORT_LISTED, "true")) {
            return new ConfigsRequest(Purpose.EXPORT, namespaceIn(request, V1Forms.TENANT), null);
        }
        return ofOne(is(request, BETA, "true") ? Purpose.SHOW_BETA : Purpose.READ, request);
    }

    private static ConfigsRequest delete(HttpRequest request) {
        if (is(request, DEL_TYPE, "ids")) {
            return new ConfigsRequest(Purpose.REMOVE_BY_IDS, namespaceIn(request, V1Forms.TENANT), null);
        }
        return ofOne(is(request, BETA, "true") ? Purpose.STOP_BETA : Purpose.REMOVE, request);
    }

    private static ConfigsRequest ofOne(Purpose purpose, HttpRequest request) {
        ConfigKey key = V1Forms.key(request);
        return new ConfigsRequest(purpose, key.namespace(), key);
    }

    private static Namespace namespaceIn(HttpRequest request, Parameter<String> parameter) {
        return Namespace.ofNullable(parameter.orNull(request));
    }

    static boolean is(HttpRequest request, Parameter<String> parameter, String value) {
        return value.equals(parameter.orNull(request));
    }

    ConfigKey one() {
        return Objects.requireNonNull(key, "key");
    }
}
