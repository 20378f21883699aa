package io.cairn.server.http.config;

import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Parameters;
import org.jspecify.annotations.Nullable;

/**
 * A gray release with a name of its own, in the words of the request. Nothing of it is checked before {@link #rule}.
 *
 * @param name not blank
 */
record NamedRelease(
        String name,
        @Nullable String type,
        @Nullable String version,
        @Nullable String expression,
        @Nullable String priority) {

    /** The parameters that {@link #read} takes. */
    static final String PARAMETERS = "grayName grayType grayRuleExp grayVersion grayPriority:integer ";

    /** The release that a request names; null when it names none. */
    static @Nullable NamedRelease read(HttpRequest request) {
        String name = nameIn(request);
        return name == null
                ? null
                : new NamedRelease(
                        name,
                        NamingParameters.text(request, "grayType"),
                        request.parameter("grayVersion"),
                        request.parameter("grayRuleExp"),
                        NamingParameters.given(request, "grayPriority"));
    }

    /** The name in {@code grayName}; null when there is none. */
    static @Nullable String nameIn(HttpRequest request) {
        String name = NamingParameters.text(request, "grayName");
        return name == null ? null : name.trim();
    }

    /** The rule for the clients of the release. */
    GrayRule rule() {
        return GrayRule.named(
                name,
                type == null ? GrayRule.BETA : type,
                version,
                expression == null ? "" : expression,
                priority == null ? 0 : Parameters.number("grayPriority", priority));
    }
}
