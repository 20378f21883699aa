package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rule that selects the clients of a gray release. Immutable.
 *
 * <p>Source of names, priorities and the JSON form: Nacos 2.5, table {@code config_info_gray}.
 *
 * @param name unique within the configuration: {@code beta}, {@code tag_<tag>}, or any other
 * @param type {@code beta}, {@code tag}, or a type that this server does not know; an unknown type matches no client
 * @param version of the type
 * @param expression comma separated addresses, or a tag
 * @param priority if several rules match, the one with the highest priority applies
 */
public record GrayRule(String name, String type, String version, String expression, int priority) {

    /** Name of the one release by client address. */
    public static final String BETA = "beta";

    private static final String TAG = "tag";
    private static final String TAG_PREFIX = "tag_";
    private static final String VERSION = "1.0.0";
    private static final int BETA_PRIORITY = Integer.MAX_VALUE;
    private static final int TAG_PRIORITY = Integer.MAX_VALUE - 1;
    private static final int MAX_TAG = 16;
    private static final int MAX_NAME = 128;
    private static final int MAX_BETA_IPS = 16_384;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The properties of a client that rules match: its address, and the tag that it requests or sends in a header. */
    public record Client(String address, @Nullable String tag) {}

    /**
     * The rule that a publish requests; empty if the content is for all clients.
     *
     * @param betaIps comma separated addresses; takes precedence over a tag
     * @throws CairnException {@code INVALID_PARAMETER} for a malformed tag
     */
    public static Optional<GrayRule> asked(@Nullable String betaIps, @Nullable String tag) {
        if (tag != null && !tag.isBlank()) {
            checkTag(tag);
        }
        if (betaIps != null && !betaIps.isBlank()) {
            if (betaIps.length() > MAX_BETA_IPS) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, "too long betaIps, over " + MAX_BETA_IPS);
            }
            return Optional.of(new GrayRule(BETA, BETA, VERSION, betaIps, BETA_PRIORITY));
        }
        if (tag != null && !tag.isBlank()) {
            return Optional.of(new GrayRule(nameOfTag(tag), TAG, VERSION, tag, TAG_PRIORITY));
        }
        return Optional.empty();
    }

    /**
     * A rule with its own name and priority; several such rules may exist for one configuration.
     *
     * @param name letters, digits and {@code _-.:}, at most 128
     * @param type {@code beta} or {@code tag}
     * @param expression comma separated addresses, or a tag
     * @throws CairnException {@code INVALID_PARAMETER} naming the invalid value
     */
    public static GrayRule named(String name, String type, @Nullable String version, String expression, int priority) {
        if (name.isBlank() || name.length() > MAX_NAME || !name.chars().allMatch(GrayRule::isNameCharacter)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "grayName: '" + name + "' (expected: letters, digits and _-.:, at most " + MAX_NAME + ")");
        }
        if (!type.equals(BETA) && !type.equals(TAG)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "gray rule type: '" + type + "' (expected: beta or tag)");
        }
        if (version != null && !version.isBlank() && !version.equals(VERSION)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "grayVersion: '" + version + "' (expected: " + VERSION + ")");
        }
        if (expression.isBlank() || expression.length() > MAX_BETA_IPS) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "grayRuleExp: (expected: not blank, at most " + MAX_BETA_IPS + ")");
        }
        if (type.equals(TAG)) {
            checkTag(expression);
        }
        return new GrayRule(name, type, VERSION, expression, priority);
    }

    private static boolean isNameCharacter(int c) {
        return Character.isLetterOrDigit(c) || "_-.:".indexOf(c) >= 0;
    }

    private static void checkTag(String tag) {
        for (int i = 0; i < tag.length(); i++) {
            char c = tag.charAt(i);
            if (!Character.isLetterOrDigit(c) && "_-.:".indexOf(c) < 0) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, "invalid tag : " + tag);
            }
        }
        if (tag.length() > MAX_TAG) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "too long tag, over " + MAX_TAG);
        }
    }

    /** Name of the release for that tag. */
    public static String nameOfTag(String tag) {
        return TAG_PREFIX + tag;
    }

    /** Reads a stored rule; an unreadable one matches no client. */
    public static GrayRule read(String name, String json) {
        try {
            JsonNode node = JSON.readTree(json);
            return new GrayRule(
                    name,
                    node.path("type").asString("").toLowerCase(Locale.ROOT),
                    node.path("version").asString(""),
                    node.path("expr").asString(""),
                    node.path("priority").asInt(0));
        } catch (JacksonException e) {
            return new GrayRule(name, "", "", "", Integer.MIN_VALUE);
        }
    }

    /** The JSON form in which the rule is stored. */
    public String toJson() {
        return new String(
                new JsonOutput(96)
                        .text("type", type)
                        .text("version", version)
                        .text("expr", expression)
                        .number("priority", priority)
                        .toBytes(),
                StandardCharsets.UTF_8);
    }

    public boolean isBeta() {
        return type.equals(BETA);
    }

    /** The tag that this rule selects, or null if it is not a rule for a tag. */
    public @Nullable String tag() {
        return type.equals(TAG) ? expression : null;
    }

    /** Whether the rule matches the client. */
    public boolean matches(Client client) {
        if (isBeta()) {
            // Most clients do not match; this search rejects them without splitting the list. An empty address is in
            // every list.
            return !client.address().isEmpty()
                    && expression.contains(client.address())
                    && Arrays.stream(expression.split(","))
                            .anyMatch(address -> address.trim().equals(client.address()));
        }
        return type.equals(TAG) && expression.equals(client.tag());
    }
}
