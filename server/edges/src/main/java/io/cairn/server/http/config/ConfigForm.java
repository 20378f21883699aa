package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.RequestCaller;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a request says of a configuration, in the names that versions 2 and 3 have for it. Immutable.
 *
 * @param group the name of the parameter with the group
 * @param namespace the name of the parameter with the namespace
 */
public record ConfigForm(String group, String namespace) {

    /** Version 2. */
    public static final ConfigForm V2 = new ConfigForm("group", "namespaceId");

    /** Version 3. */
    public static final ConfigForm V3 = new ConfigForm("groupName", "namespaceId");

    /** What {@link #draft} reads, group and namespace aside. */
    public static final String DRAFT_PARAMETERS = "content! tag appName srcUser configTags desc use effect type schema"
            + " encryptedDataKey grayName grayType grayRuleExp grayVersion grayPriority:integer validate:boolean"
            + " @betaIps @casMd5 @X-Forwarded-For @X-Real-IP";

    /** Whether a content that is not well-formed is to be refused. */
    public static boolean validates(HttpRequest request) {
        return NamingParameters.flag(request, "validate", false);
    }

    /** @throws ParameterException for a name that is missing or refused by the check of names */
    public ConfigKey key(HttpRequest request) {
        check(request);
        return ConfigDraft.key(request.parameter("dataId"), request.parameter(group), request.parameter(namespace));
    }

    /** Refuses illegal names first and then missing ones, as the reference does. */
    private void check(HttpRequest request) {
        String dataId = NamingParameters.text(request, "dataId");
        String group = NamingParameters.text(request, this.group);
        ParameterCheck.config(dataId, group, request.parameter(namespace));
        if (group == null) {
            // Where both are missing, each version of the reference names the one that it looks for first.
            throw ParameterException.missing(dataId == null && equals(V2) ? "dataId" : this.group);
        }
        if (dataId == null) {
            throw ParameterException.missing("dataId");
        }
    }

    /** @throws ParameterException for what {@link #key} refuses, and for a content that is missing or blank */
    public ConfigDraft draft(HttpRequest request) {
        check(request);
        String content = request.parameter("content");
        if (content == null || content.isBlank()) {
            throw ParameterException.missing("content");
        }
        return new ConfigDraft(
                request.parameter("dataId"),
                request.parameter(group),
                request.parameter(namespace),
                content,
                request.header("casMd5"),
                request.parameter("type"),
                request.parameter("appName"),
                request.parameter("configTags"),
                request.parameter("desc"),
                request.parameter("use"),
                request.parameter("effect"),
                request.parameter("schema"),
                request.parameter("encryptedDataKey"),
                request.header("betaIps"),
                request.parameter("tag"));
    }

    /**
     * The same order for those clients alone that the rule in {@code grayName}, {@code grayType}, {@code grayRuleExp} and
     * {@code grayPriority} is about; the order as it is when it names none.
     */
    static PublishConfig forSome(HttpRequest request, PublishConfig command) {
        String name = request.parameter("grayName");
        if (name == null || name.isBlank()) {
            return command;
        }
        String type = NamingParameters.text(request, "grayType");
        String expression = request.parameter("grayRuleExp");
        GrayRule rule = GrayRule.named(
                name.trim(),
                type == null ? GrayRule.BETA : type,
                request.parameter("grayVersion"),
                expression == null ? "" : expression,
                NamingParameters.number(request, "grayPriority", 0));
        return new PublishConfig(
                command.key(),
                command.utf8(),
                command.digest(),
                command.expectedMd5(),
                command.attributes(),
                rule,
                command.by());
    }

    /** Who orders the change. */
    public static Author by(HttpRequest request) {
        String user = request.parameter("srcUser");
        return new Author(user == null || user.isBlank() ? null : user, request.claimedIp(), RequestCaller.of(request));
    }

    /** The release that the request names, or the one of the tag that it names; null when it names none. */
    public static @Nullable String grayName(HttpRequest request) {
        String name = request.parameter("grayName");
        if (name != null && !name.isBlank()) {
            return name.trim();
        }
        String tag = request.parameter("tag");
        return tag == null || tag.isBlank() ? null : GrayRule.nameOfTag(tag);
    }
}
