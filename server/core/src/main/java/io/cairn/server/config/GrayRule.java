package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.InvalidConfigException.Problem;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.gray.GrayIdentity;
import io.cairn.server.gray.LabelExpression;
import io.cairn.server.gray.Percentage;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rule that selects the clients of a gray release: by address, by tag, by {@linkplain LabelExpression labels}, or a
 * {@linkplain Percentage share}. Immutable.
 *
 * <p>Source of names, priorities and the JSON form: Nacos 2.5, table {@code config_info_gray}. Nacos knows the first two types.
 */
public final class GrayRule {

    /** The release by client address. */
    public static final String BETA = "beta";

    /** The type of a release by an expression over labels. */
    public static final String LABEL = "label";
    /** The type of a release to a share of the clients. */
    public static final String PERCENTAGE = "percentage";

    private static final String TAG = "tag";
    private static final String TAG_PREFIX = "tag_";
    private static final String VERSION = "1.0.0";
    /** All types. */
    public static final List<String> TYPES = List.of(BETA, TAG, LABEL, PERCENTAGE);

    private static final int BETA_PRIORITY = Integer.MAX_VALUE;
    private static final int TAG_PRIORITY = Integer.MAX_VALUE - 1;
    private static final int MAX_TAG = 16;
    /** The limit of the history's column. */
    private static final int MAX_NAME = 50;

    private static final int MAX_BETA_IPS = 16_384;
    private static final String EXPRESSION = "grayRuleExp";
    /** Characters of a refused entry in the error. */
    private static final int MAX_SHOWN = 100;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String name;
    private final String type;
    private final String version;
    private final String expression;
    private final int priority;
    private final Matcher matcher;

    private interface Matcher {

        Matcher NONE = (key, client) -> false;

        boolean matches(ConfigKey key, GrayClient client);
    }

    /**
     * @param name unique within the configuration: {@code beta}, {@code tag_<tag>}, or another
     * @param type one of those above, or an unknown one, which matches no client
     * @param version of the type
     * @param expression comma separated addresses, a tag, a condition on labels, or a percentage
     * @param priority the highest matching rule applies
     */
    public GrayRule(String name, String type, String version, String expression, int priority) {
        this.name = name;
        this.type = type;
        this.version = version;
        this.expression = expression;
        this.priority = priority;
        this.matcher = matcher(name, type, expression);
    }

    private static Matcher matcher(String name, String type, String expression) {
        return switch (type) {
            case BETA -> (key, client) -> isListed(expression, client.address());
            case TAG -> (key, client) -> expression.equals(client.tag());
            case LABEL -> {
                LabelExpression condition = LabelExpression.parse(EXPRESSION, expression);
                yield (key, client) -> !client.labels().isEmpty() && condition.matches(client.labels());
            }
            case PERCENTAGE -> {
                Percentage share = Percentage.parse(EXPRESSION, expression);
                yield (key, client) -> {
                    GrayIdentity identity = client.identity();
                    return identity != null && share.contains(key, name, identity.text());
                };
            }
            default -> Matcher.NONE;
        };
    }

    /** Rejects most clients without splitting the list. An empty address is in every list. */
    private static boolean isListed(String addresses, String address) {
        return !address.isEmpty()
                && addresses.contains(address)
                && Arrays.stream(addresses.split(","))
                        .anyMatch(each -> each.trim().equals(address));
    }

    public String name() {
        return name;
    }

    public String type() {
        return type;
    }

    public String version() {
        return version;
    }

    public String expression() {
        return expression;
    }

    public int priority() {
        return priority;
    }

    /**
     * The rule of a publish; empty for all clients.
     *
     * @param betaIps comma separated addresses; takes precedence over a tag
     * @throws CairnException {@code INVALID_PARAMETER} for a malformed tag, or a list with another entry than addresses
     */
    public static Optional<GrayRule> asked(@Nullable String betaIps, @Nullable String tag) {
        if (tag != null && !tag.isBlank()) {
            checkTag(tag);
        }
        if (betaIps != null && !betaIps.isBlank()) {
            if (betaIps.length() > MAX_BETA_IPS) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, "too long betaIps, over " + MAX_BETA_IPS);
            }
            checkAddresses("betaIps", betaIps);
            return Optional.of(new GrayRule(BETA, BETA, VERSION, betaIps, BETA_PRIORITY));
        }
        if (tag != null && !tag.isBlank()) {
            return Optional.of(new GrayRule(nameOfTag(tag), TAG, VERSION, tag, TAG_PRIORITY));
        }
        return Optional.empty();
    }

    /**
     * A rule with its own name and priority; a configuration may have several.
     *
     * @param name letters, digits and {@code _-.:}, at most 50
     * @param type {@code beta}, {@code tag}, {@code label} or {@code percentage}
     * @param expression comma separated addresses, a tag, a condition on labels, or a percentage
     * @throws CairnException {@code INVALID_PARAMETER} with the invalid value
     */
    public static GrayRule named(String name, String type, @Nullable String version, String expression, int priority) {
        if (name.isBlank() || name.length() > MAX_NAME || !name.chars().allMatch(GrayRule::isNameCharacter)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "grayName: '" + name + "' (expected: letters, digits and _-.:, at most " + MAX_NAME + ")");
        }
        if (!TYPES.contains(type)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "gray rule type: '" + type + "' (expected: " + String.join(", ", TYPES) + ")");
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
        } else if (type.equals(BETA)) {
            checkAddresses(EXPRESSION, expression);
        } else if (name.equals(BETA) || name.startsWith(TAG_PREFIX)) {
            // Nacos's calls address releases by these names.
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "grayName: '" + name + "' (expected: another name than beta and " + TAG_PREFIX
                            + "... for a rule of the type " + type + ")");
        }
        return new GrayRule(name, type, VERSION, expression, priority);
    }

    private static boolean isNameCharacter(int c) {
        return Character.isLetterOrDigit(c) || "_-.:".indexOf(c) >= 0;
    }

    /** Clients are selected by address alone, so other entries select no client. Empty entries are allowed. */
    private static void checkAddresses(String parameter, String list) {
        boolean isEmpty = true;
        for (String entry : list.split(",")) {
            String address = entry.trim();
            if (!address.isEmpty()) {
                if (!isAddress(address)) {
                    throw noAddresses(parameter, address);
                }
                isEmpty = false;
            }
        }
        if (isEmpty) {
            throw noAddresses(parameter, list);
        }
    }

    private static boolean isAddress(String text) {
        return NetUtil.isValidIpV4Address(text) || !text.startsWith("[") && NetUtil.isValidIpV6Address(text);
    }

    private static CairnException noAddresses(String parameter, String entry) {
        String shown = entry.length() > MAX_SHOWN ? entry.substring(0, MAX_SHOWN) + "…" : entry;
        return new CairnException(
                ErrorCode.INVALID_PARAMETER,
                parameter + ": '" + shown + "' (expected: IP addresses, separated by commas)");
    }

    private static void checkTag(String tag) {
        for (int i = 0; i < tag.length(); i++) {
            char c = tag.charAt(i);
            if (!Character.isLetterOrDigit(c) && "_-.:".indexOf(c) < 0) {
                throw new InvalidConfigException(Problem.TAG_REFUSED, "invalid tag : " + tag);
            }
        }
        if (tag.length() > MAX_TAG) {
            throw new InvalidConfigException(Problem.TAG_REFUSED, "too long tag, over " + MAX_TAG);
        }
    }

    public static String nameOfTag(String tag) {
        return TAG_PREFIX + tag;
    }

    /** An unreadable rule matches no client. */
    public static GrayRule read(String name, String json) {
        try {
            JsonNode node = JSON.readTree(json);
            return new GrayRule(
                    name,
                    node.path("type").asString("").toLowerCase(Locale.ROOT),
                    node.path("version").asString(""),
                    node.path("expr").asString(""),
                    node.path("priority").asInt(0));
        } catch (JacksonException | CairnException e) {
            return unreadable(name);
        }
    }

    /** A rule that matches no client. */
    public static GrayRule unreadable(String name) {
        return new GrayRule(name, "", "", "", Integer.MIN_VALUE);
    }

    /** The stored form. */
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

    /** Whether the stored text was a rule with a type, known or not. */
    public boolean isReadable() {
        return !type.isEmpty();
    }

    public boolean isBeta() {
        return type.equals(BETA);
    }

    /** The selected tag, or null. */
    public @Nullable String tag() {
        return type.equals(TAG) ? expression : null;
    }

    /** Whether Nacos, too, knows the type; it fails on a row with another one. */
    public boolean isKnownToNacos() {
        return !type.equals(LABEL) && !type.equals(PERCENTAGE);
    }

    /** @param key of the configuration */
    public boolean matches(ConfigKey key, GrayClient client) {
        return matcher.matches(key, client);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof GrayRule rule
                        && name.equals(rule.name)
                        && type.equals(rule.type)
                        && version.equals(rule.version)
                        && expression.equals(rule.expression)
                        && priority == rule.priority;
    }

    @Override
    public int hashCode() {
        return (name.hashCode() * 31 + type.hashCode()) * 31 + expression.hashCode();
    }

    @Override
    public String toString() {
        return name + " (" + toJson() + ')';
    }
}
