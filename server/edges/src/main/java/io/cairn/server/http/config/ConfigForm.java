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
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import org.jspecify.annotations.Nullable;

/**
 * The names that versions 2 and 3 have for what a request says of a configuration, and the forms made of them. Immutable.
 *
 * @param group the name of the parameter with the group
 * @param namespace the name of the parameter with the namespace
 */
public record ConfigForm(String group, String namespace) {

    /** Version 2. */
    public static final ConfigForm V2 = new ConfigForm("group", "namespaceId");

    /** Version 3. */
    public static final ConfigForm V3 = new ConfigForm("groupName", "namespaceId");

    /** The author of a change: the user that the request names, and the address that it claims. */
    public static final String BY = "srcUser @X-Forwarded-For @X-Real-IP";

    /** The right to read the configuration that a request names. */
    public static final Right<ConfigKey> READ = Right.config(Action.READ, key -> key);

    /** The right to change the configuration that a request names. */
    public static final Right<ConfigKey> WRITE = Right.config(Action.WRITE, key -> key);

    /** The names of a configuration. */
    public Form<ConfigKey> names() {
        return Form.of("dataId! " + group + "! " + namespace, this::key);
    }

    /** The names of a configuration and more parameters, which the action reads. */
    public Form<ConfigKey> namesAnd(String more) {
        return names().and(more);
    }

    /** The read of a content by a client. The parameters after its names are those of {@link ConfigActions#read}. */
    public Operation.Needs<ConfigKey> read() {
        return Operation.of(namesAnd("tag @Vipserver-Tag @X-Forwarded-For @X-Real-IP" + Form.MIN_REVISION))
                .needs(READ);
    }

    /** The publish of a content. */
    public Operation<PublishRequest> publish() {
        String draft = " content! tag appName srcUser configTags desc use effect type schema encryptedDataKey "
                + NamedRelease.PARAMETERS + "casMd5 validate:boolean @betaIps @casMd5 @X-Forwarded-For @X-Real-IP";
        return Operation.of(Form.of("dataId! " + group + "! " + namespace + draft, this::readPublish))
                .needs(Right.config(Action.WRITE, PublishRequest::key))
                .answers("boolean")
                .tellsRevision()
                .says("Publishes a content: for all, or for the clients of a tag or of some addresses");
    }

    /** The deletion of a configuration or of one of its releases. */
    public Operation<RemoveRequest> remove() {
        return Operation.of(Form.of("dataId! " + group + "! " + namespace + " tag grayName " + BY, this::readRemove))
                .needs(Right.config(Action.WRITE, RemoveRequest::key))
                .answers("boolean")
                .tellsRevision()
                .says("Deletes a configuration, or its release for a tag");
    }

    /** Whether a content that is not well-formed is to be refused. */
    public static boolean validates(HttpRequest request) {
        return NamingParameters.flag(request, "validate", false);
    }

    /**
     * Refuses illegal names first and then missing ones, as the reference does.
     *
     * @throws ParameterException for a name that is missing or refused by the check of names
     */
    public ConfigKey key(HttpRequest request) {
        String dataId = NamingParameters.text(request, "dataId");
        String group = NamingParameters.text(request, this.group);
        String namespace = request.parameter(this.namespace);
        ParameterCheck.config(dataId, group, namespace);
        if (group == null) {
            // Where both are missing, each version of the reference names the one that it looks for first.
            throw ParameterException.missing(dataId == null && equals(V2) ? "dataId" : this.group);
        }
        if (dataId == null) {
            throw ParameterException.missing("dataId");
        }
        return ConfigDraft.key(dataId, group, namespace);
    }

    private PublishRequest readPublish(HttpRequest request) {
        ConfigKey key = key(request);
        return new PublishRequest(
                key,
                draft(request, key, "configTags"),
                NamedRelease.read(request),
                validates(request),
                NamingParameters.text(request, "srcUser"));
    }

    /**
     * The fields of a publish, whose parameters but the names and the tags have the same names in all versions.
     *
     * @param tagsName the name of the parameter with the labels
     */
    public static ConfigDraft draft(HttpRequest request, ConfigKey key, String tagsName) {
        return ConfigDraft.named(key.dataId(), key.group(), key.namespace().id())
                .content(request.parameter("content"))
                .expectedMd5(expectedMd5(request))
                .attributes(tagsName, request::parameter)
                .clients(request.header("betaIps"), request.parameter("tag"))
                .build();
    }

    /**
     * The digest of the content that a change is to replace. Nacos reads the header only; the SDKs for Go 1.x and for Node
     * send it in the form, and there the condition counts as well.
     */
    public static @Nullable String expectedMd5(HttpRequest request) {
        String header = request.header("casMd5");
        String expected = header == null || header.isBlank() ? request.parameter("casMd5") : header;
        return expected == null || expected.isBlank() ? null : expected;
    }

    private RemoveRequest readRemove(HttpRequest request) {
        String release = NamedRelease.nameIn(request);
        return new RemoveRequest(
                key(request),
                release != null ? release : RemoveRequest.releaseOfTag(request.parameter("tag")),
                NamingParameters.text(request, "srcUser"));
    }

    /** The author of a change, with the user in {@code srcUser}. Not before the right was checked. */
    public static Author by(HttpRequest request) {
        return by(request, NamingParameters.text(request, "srcUser"));
    }

    /** The author of a change. Not before the right was checked, for only then is the caller known. */
    public static Author by(HttpRequest request, @Nullable String user) {
        return new Author(user, request.claimedIp(), RequestCaller.of(request));
    }
}
