package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ChangedBy;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.http.HttpCall;
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
    public static boolean validates(HttpCall call) {
        return NamingParameters.flag(call, "validate", false);
    }

    /** @throws ParameterException for a name that is missing or refused by the check of names */
    public ConfigKey key(HttpCall call) {
        check(call);
        return ConfigDraft.key(call.parameter("dataId"), call.parameter(group), call.parameter(namespace));
    }

    /** Refuses illegal names first and then missing ones, as the reference does. */
    private void check(HttpCall call) {
        String dataId = NamingParameters.text(call, "dataId");
        String group = NamingParameters.text(call, this.group);
        ParameterCheck.config(dataId, group, call.parameter(namespace));
        if (group == null) {
            // Where both are missing, each version of the reference names the one that it looks for first.
            throw ParameterException.missing(dataId == null && equals(V2) ? "dataId" : this.group);
        }
        if (dataId == null) {
            throw ParameterException.missing("dataId");
        }
    }

    /** @throws ParameterException for what {@link #key} refuses, and for a content that is missing or blank */
    public ConfigDraft draft(HttpCall call) {
        check(call);
        String content = call.parameter("content");
        if (content == null || content.isBlank()) {
            throw ParameterException.missing("content");
        }
        return new ConfigDraft(
                call.parameter("dataId"),
                call.parameter(group),
                call.parameter(namespace),
                content,
                call.header("casMd5"),
                call.parameter("type"),
                call.parameter("appName"),
                call.parameter("configTags"),
                call.parameter("desc"),
                call.parameter("use"),
                call.parameter("effect"),
                call.parameter("schema"),
                call.parameter("encryptedDataKey"),
                call.header("betaIps"),
                call.parameter("tag"));
    }

    /**
     * The same order for those clients alone that the rule in {@code grayName}, {@code grayType}, {@code grayRuleExp} and
     * {@code grayPriority} is about; the order as it is when it names none.
     */
    static PublishConfig forSome(HttpCall call, PublishConfig command) {
        String name = call.parameter("grayName");
        if (name == null || name.isBlank()) {
            return command;
        }
        String type = NamingParameters.text(call, "grayType");
        String expression = call.parameter("grayRuleExp");
        GrayRule rule = GrayRule.named(
                name.trim(),
                type == null ? GrayRule.BETA : type,
                call.parameter("grayVersion"),
                expression == null ? "" : expression,
                NamingParameters.number(call, "grayPriority", 0));
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
    public static ChangedBy by(HttpCall call) {
        String user = call.parameter("srcUser");
        return new ChangedBy(user == null || user.isBlank() ? null : user, call.claimedIp(), RequestCaller.of(call));
    }

    /** The release that the request names, or the one of the tag that it names; null when it names none. */
    public static @Nullable String grayName(HttpCall call) {
        String name = call.parameter("grayName");
        if (name != null && !name.isBlank()) {
            return name.trim();
        }
        String tag = call.parameter("tag");
        return tag == null || tag.isBlank() ? null : GrayRule.nameOfTag(tag);
    }
}
