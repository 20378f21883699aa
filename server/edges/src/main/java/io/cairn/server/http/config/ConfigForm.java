package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.Action;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The forms of requests about a configuration, with the parameter names of versions 2 and 3.
 *
 */
public record ConfigForm(Parameter<String> group, Parameter<String> namespace) {

    /** Version 2. */
    public static final ConfigForm V2 = new ConfigForm(group("group"), NamingParameters.NAMESPACE_ID);

    /** Version 3. */
    public static final ConfigForm V3 = new ConfigForm(group("groupName"), NamingParameters.NAMESPACE_ID);

    public static final Parameter<String> DATA_ID = Parameter.text("dataId", "The name of the configuration");
    public static final Parameter<String> CONTENT = Parameter.exact("content", "The content");
    public static final Parameter<String> TAG = Parameter.text("tag", "The tag of the clients of a release");
    public static final Parameter<String> SRC_USER = Parameter.text("srcUser", "The user that the history names");
    public static final Parameter<Boolean> VALIDATE = Parameter.flag(
                    "validate", "Refuses a content that is not well-formed for its type")
            .orElse(false);

    /** The addresses of the clients of a beta release. */
    public static final Parameter<String> BETA_IPS =
            Parameter.header("betaIps", "The addresses of the clients of a beta release, separated by commas");

    /** The digest that the stored content must have. */
    public static final Parameter<String> EXPECTED_MD5 =
            Parameter.text("casMd5", "The md5 of the content that is replaced; another content is left as it is");

    /** As {@link #EXPECTED_MD5}, which it precedes. */
    public static final Parameter<String> EXPECTED_MD5_HEADER =
            Parameter.header("casMd5", "The md5 of the content that is replaced; another content is left as it is");

    /** The attributes of a content but its labels, by their names. */
    private static final Map<String, Parameter<String>> ATTRIBUTES = new LinkedHashMap<>();

    /** The labels of a content. */
    public static final Parameter<String> TAGS = Parameter.exact("configTags", "Labels, separated by commas");

    /** The application of a content. */
    public static final Parameter<String> APP_NAME = attribute("appName", "The application");

    /** The description of a content. */
    public static final Parameter<String> DESCRIPTION = attribute("desc", "The description");

    /** The other attributes of a content. */
    public static final List<Parameter<?>> MORE_ATTRIBUTES = List.of(
            attribute("use", "The use"),
            attribute("effect", "The effect"),
            attribute("type", "The type: text, json, xml, yaml, html, properties or toml"),
            attribute("schema", "The schema"),
            attribute("encryptedDataKey", "The encrypted key of an encrypted content"));

    private static final Parameter<String> FORWARDED_FOR =
            Parameter.header("X-Forwarded-For", "The address of the client, as a proxy has it");
    private static final Parameter<String> REAL_IP =
            Parameter.header("X-Real-IP", "As X-Forwarded-For, where that is absent");

    /** The headers with the address that a client claims; {@link HttpRequest#claimedIp} reads them. */
    public static final List<Parameter<?>> ADDRESS = List.of(FORWARDED_FOR, REAL_IP);

    /** The author of a change: the user that the request names, and the address that it claims. */
    public static final List<Parameter<?>> BY = List.of(SRC_USER, FORWARDED_FOR, REAL_IP);

    public static final Right<ConfigKey> READ = Right.config(Action.READ, key -> key);

    public static final Right<ConfigKey> WRITE = Right.config(Action.WRITE, key -> key);

    private static Parameter<String> group(String name) {
        return Parameter.text(name, "The group of the configuration");
    }

    private static Parameter<String> attribute(String name, String sentence) {
        Parameter<String> attribute = Parameter.exact(name, sentence);
        ATTRIBUTES.put(name, attribute);
        return attribute;
    }

    private static @Nullable String attribute(HttpRequest request, String name) {
        return Objects.requireNonNull(ATTRIBUTES.get(name), name).orNull(request);
    }

    /** The names of a configuration. */
    public Form<ConfigKey> names() {
        return Form.of(DATA_ID.required(), group.required(), namespace).as(this::key);
    }

    /** The names of a configuration and more parameters, which the action reads. */
    public Form<ConfigKey> namesAnd(Parameter<?>... more) {
        return names().and(more);
    }

    /** A client's read of a content. {@link ConfigActions#read} reads the further parameters. */
    public Operation.Needs<ConfigKey> read() {
        return Operation.of(namesAnd(TAG, ConfigActions.CLIENT_TAG).and(ADDRESS).and(Form.MIN_REVISION))
                .needs(READ);
    }

    public Operation<PublishRequest> publish() {
        return Operation.of(namesAnd(CONTENT.required(), TAG, APP_NAME, SRC_USER, TAGS, DESCRIPTION)
                        .and(MORE_ATTRIBUTES)
                        .and(NamedRelease.PARAMETERS)
                        .and(EXPECTED_MD5, VALIDATE, BETA_IPS, EXPECTED_MD5_HEADER)
                        .and(ADDRESS)
                        .as(this::readPublish))
                .needs(Right.config(Action.WRITE, PublishRequest::key))
                .answers("boolean")
                .answersRevision()
                .says("Publishes a content: for all, or for the clients of a tag or of some addresses");
    }

    public Operation<RemoveRequest> remove() {
        return Operation.of(namesAnd(TAG, NamedRelease.NAME).and(BY).as(this::readRemove))
                .needs(Right.config(Action.WRITE, RemoveRequest::key))
                .answers("boolean")
                .answersRevision()
                .says("Deletes a configuration, or its release for a tag");
    }

    public static boolean validates(HttpRequest request) {
        return VALIDATE.of(request);
    }

    /**
     * Refuses illegal names before missing ones, as Nacos does.
     *
     * @throws ParameterException for an illegal or missing name
     */
    public ConfigKey key(HttpRequest request) {
        String dataId = DATA_ID.orNull(request);
        String group = this.group.orNull(request);
        String namespace = this.namespace.orNull(request);
        ParameterCheck.config(dataId, group, namespace);
        if (group == null) {
            // Where both are missing, each API version of Nacos names another one.
            throw (dataId == null && equals(V2) ? DATA_ID : this.group).missing();
        }
        if (dataId == null) {
            throw DATA_ID.missing();
        }
        return ConfigDraft.key(dataId, group, namespace);
    }

    private PublishRequest readPublish(HttpRequest request) {
        ConfigKey key = key(request);
        return new PublishRequest(
                key,
                draft(request, key, TAGS),
                NamedRelease.read(request),
                validates(request),
                SRC_USER.orNull(request));
    }

    /**
     * The fields of a publish.
     *
     * @param tags the parameter with the labels
     */
    public static ConfigDraft draft(HttpRequest request, ConfigKey key, Parameter<String> tags) {
        return ConfigDraft.named(key.dataId(), key.group(), key.namespace().id())
                .content(CONTENT.orNull(request))
                .expectedMd5(expectedMd5(request))
                .attributes(
                        tags.name(), name -> name.equals(tags.name()) ? tags.orNull(request) : attribute(request, name))
                .clients(BETA_IPS.orNull(request), TAG.orNull(request))
                .build();
    }

    /**
     * The digest of the content to replace. Nacos reads the header only; the SDKs for Go 1.x and Node send it in the form, which
     * counts here, too.
     */
    public static @Nullable String expectedMd5(HttpRequest request) {
        String header = EXPECTED_MD5_HEADER.orNull(request);
        return header == null || header.isBlank() ? EXPECTED_MD5.orNull(request) : header;
    }

    private RemoveRequest readRemove(HttpRequest request) {
        String release = NamedRelease.nameIn(request);
        return new RemoveRequest(
                key(request),
                release != null ? release : RemoveRequest.releaseOfTag(TAG.orNull(request)),
                SRC_USER.orNull(request));
    }

    /** The author, with the user in {@code srcUser}. Call it after the check of the right. */
    public static Author by(HttpRequest request) {
        return by(request, SRC_USER.orNull(request));
    }

    /** The author. Call it after the check of the right, which identifies the caller. */
    public static Author by(HttpRequest request, @Nullable String user) {
        return new Author(user, request.claimedIp(), RequestCaller.of(request));
    }
}
