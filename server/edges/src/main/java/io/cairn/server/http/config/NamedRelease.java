package io.cairn.server.http.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A named gray release as the request has it; {@link #rule} checks it.
 *
 * @param name not blank
 */
public record NamedRelease(
        String name,
        @Nullable String type,
        @Nullable String version,
        @Nullable String expression,
        @Nullable String priority) {

    static final Parameter<String> NAME = Parameter.text("grayName", "The name of a release");
    private static final Parameter<String> TYPE =
            Parameter.text("grayType", "The kind of the release: beta (when absent), tag, label or percentage");
    private static final Parameter<String> EXPRESSION = Parameter.exact(
            "grayRuleExp",
            "The clients of the release: addresses separated by commas, a tag, a condition on labels, or a percentage");
    private static final Parameter<String> VERSION = Parameter.exact("grayVersion", "The version of the rule");
    private static final Parameter<String> PRIORITY = Parameter.text(
                    "grayPriority", "The priority of the release; 0 when absent")
            .orNone()
            .typed("integer");

    /** The parameters that {@link #read} takes. */
    public static final List<Parameter<?>> PARAMETERS = List.of(NAME, TYPE, EXPRESSION, VERSION, PRIORITY);

    /** Null when the request names no release. */
    static @Nullable NamedRelease read(HttpRequest request) {
        String name = nameIn(request);
        return name == null
                ? null
                : new NamedRelease(
                        name,
                        TYPE.orNull(request),
                        VERSION.orNull(request),
                        EXPRESSION.orNull(request),
                        PRIORITY.orNull(request));
    }

    /** @throws ParameterException for a request that names no release */
    public static NamedRelease required(HttpRequest request) {
        NamedRelease release = read(request);
        if (release == null) {
            throw NAME.missing();
        }
        return release;
    }

    /** The name in {@code grayName}, or null. */
    static @Nullable String nameIn(HttpRequest request) {
        String name = NAME.orNull(request);
        return name == null ? null : name.trim();
    }

    /** @throws CairnException {@code INVALID_PARAMETER} with the invalid value */
    public GrayRule rule() {
        return GrayRule.named(
                name,
                type == null ? GrayRule.BETA : type,
                version,
                expression == null ? "" : expression,
                priority == null ? 0 : Parameter.number(priority, PRIORITY.name()));
    }
}
