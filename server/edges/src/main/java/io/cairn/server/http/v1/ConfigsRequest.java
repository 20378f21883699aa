package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.PublishRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request of {@code /v1/cs/configs}. Its parameters decide what it is for, once: the right and the action follow from that.
 *
 * @param namespace of the configurations that the request is about
 * @param key null for a request about many configurations
 */
record ConfigsRequest(
        Purpose purpose, Namespace namespace, @Nullable ConfigKey key) {

    private static final String NAMES = "dataId! group! tenant search show beta export exportV2 import clone delType ";
    private static final String ADDRESS = "@X-Forwarded-For @X-Real-IP";

    static final Operation<ConfigsRequest> GET = Operation.of(Form.of(
                    NAMES + "tag appName config_tags config_detail types ids pageNo:integer pageSize:integer"
                            + " @Vipserver-Tag " + ADDRESS + Form.MIN_REVISION,
                    ConfigsRequest::get))
            .needs(right(Action.READ, Right.some(Action.READ, ResourceType.CONFIG, ConfigsRequest::namespace)))
            .answers("string")
            .says(
                    "Reads a content; with search, show, beta, export or exportV2 looks up, shows or exports configurations");

    static final Operation<ConfigsRequest> DELETE = Operation.of(
                    Form.of(NAMES + "tag ids src_user " + ADDRESS, ConfigsRequest::delete))
            .needs(right(Action.WRITE, Right.anywhere(Action.WRITE)))
            .answers("boolean")
            .tellsRevision()
            .says("Deletes a configuration; with beta its release for some addresses, with delType several");

    static final Operation<Posted> POST = Operation.of(Form.of(
                    NAMES + "content! tag appName src_user config_tags desc use effect type schema encryptedDataKey"
                            + " namespace policy casMd5 validate:boolean @betaIps @casMd5 " + ADDRESS,
                    Posted::read))
            .needs(Posted.RIGHT)
            .answers("boolean")
            .tellsRevision()
            .says("Publishes a content; with import or clone, many configurations");

    /** The things that the path stands for. */
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
     * A request with the method {@code POST}.
     *
     * @param namespace the target of an import or a copy
     * @param publish null for an import or a copy
     */
    record Posted(
            Purpose purpose, Namespace namespace, @Nullable PublishRequest publish) {

        private static final Right<Posted> ONE =
                Right.config(Action.WRITE, posted -> Objects.requireNonNull(posted.publish, "publish")
                        .key());
        private static final Right<Posted> MANY = Right.some(Action.WRITE, ResourceType.CONFIG, Posted::namespace);
        private static final Right<Posted> RIGHT = Right.either(posted -> posted.publish != null ? ONE : MANY);

        private static Posted read(HttpRequest request) {
            if (is(request, "import", "true")) {
                return new Posted(Purpose.IMPORT, namespaceIn(request, "namespace"), null);
            }
            if (is(request, "clone", "true")) {
                return new Posted(Purpose.COPY, namespaceIn(request, "tenant"), null);
            }
            ConfigKey key = V1Forms.key(request, "content");
            return new Posted(
                    Purpose.PUBLISH,
                    key.namespace(),
                    new PublishRequest(
                            key,
                            ConfigForm.draft(request, key, "config_tags"),
                            null,
                            ConfigForm.validates(request),
                            NamingParameters.text(request, "src_user")));
        }
    }

    private static Right<ConfigsRequest> right(Action action, Right<ConfigsRequest> many) {
        Right<ConfigsRequest> one = Right.config(action, request -> Objects.requireNonNull(request.key, "key"));
        return Right.either(request -> request.key != null ? one : many);
    }

    private static ConfigsRequest get(HttpRequest request) {
        if (is(request, "search", "accurate") || is(request, "search", "blur")) {
            return new ConfigsRequest(Purpose.SEARCH, namespaceIn(request, "tenant"), null);
        }
        if (is(request, "show", "all")) {
            return ofOne(Purpose.SHOW_DETAIL, request);
        }
        if (is(request, "export", "true") || is(request, "exportV2", "true")) {
            return new ConfigsRequest(Purpose.EXPORT, namespaceIn(request, "tenant"), null);
        }
        return ofOne(is(request, "beta", "true") ? Purpose.SHOW_BETA : Purpose.READ, request);
    }

    private static ConfigsRequest delete(HttpRequest request) {
        if (is(request, "delType", "ids")) {
            return new ConfigsRequest(Purpose.REMOVE_BY_IDS, namespaceIn(request, "tenant"), null);
        }
        return ofOne(is(request, "beta", "true") ? Purpose.STOP_BETA : Purpose.REMOVE, request);
    }

    private static ConfigsRequest ofOne(Purpose purpose, HttpRequest request) {
        ConfigKey key = V1Forms.key(request);
        return new ConfigsRequest(purpose, key.namespace(), key);
    }

    private static Namespace namespaceIn(HttpRequest request, String parameter) {
        return Namespace.ofNullable(request.parameter(parameter));
    }

    static boolean is(HttpRequest request, String parameter, String value) {
        return value.equals(request.parameter(parameter));
    }

    /** The configuration of a request about one. */
    ConfigKey one() {
        return Objects.requireNonNull(key, "key");
    }
}
