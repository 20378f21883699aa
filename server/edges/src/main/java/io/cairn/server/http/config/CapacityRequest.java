package io.cairn.server.http.config;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A request about the capacity of a group or namespace, of any version.
 *
 * @param scope null when the request names neither
 * @param change the new limits; empty in a request that shows them
 */
public record CapacityRequest(@Nullable CapacityScope scope, CapacityChange change) {

    /** The limits that a request sets. */
    public record Limits(
            Parameter<Integer> quota,
            Parameter<Integer> maxSize,
            Parameter<Integer> maxAggrCount,
            Parameter<Integer> maxAggrSize) {

        /** @param number declares a number by name and sentence, in the words of one version */
        public static Limits of(BiFunction<String, String, Parameter<Integer>> number) {
            return new Limits(
                    number.apply("quota", "The most configurations; 0 for the default"),
                    number.apply("maxSize", "The most bytes of a content; 0 for the default"),
                    number.apply("maxAggrCount", "Stored and shown only"),
                    number.apply("maxAggrSize", "Stored and shown only"));
        }

        private CapacityChange read(HttpRequest request) {
            return new CapacityChange(
                    quota.orNull(request),
                    maxSize.orNull(request),
                    maxAggrCount.orNull(request),
                    maxAggrSize.orNull(request));
        }
    }

    /**
     * The request to show a capacity.
     *
     * @param names of the group and the namespace
     */
    public static Operation.Needs<CapacityRequest> show(ConfigForm names) {
        return Operation.of(Form.of(names.group(), names.namespace())
                        .as(request -> new CapacityRequest(scope(request, names), CapacityChange.NONE)))
                .needs(Right.admin());
    }

    /** Names as in {@link #show}. */
    public static Operation.Needs<CapacityRequest> set(ConfigForm names, Limits limits) {
        return Operation.of(Form.of(
                                names.group(),
                                names.namespace(),
                                limits.quota,
                                limits.maxSize,
                                limits.maxAggrCount,
                                limits.maxAggrSize)
                        .as(request -> {
                            CapacityScope scope = scope(request, names);
                            return new CapacityRequest(
                                    scope, scope == null ? CapacityChange.NONE : limits.read(request));
                        }))
                .needs(Right.admin());
    }

    /** The namespace, or else the group; null when neither is named. */
    private static @Nullable CapacityScope scope(HttpRequest request, ConfigForm names) {
        String group = names.group().sent(request);
        String namespace = names.namespace().sent(request);
        ParameterCheck.config(null, group, namespace);
        if (namespace != null && !namespace.isBlank()) {
            return CapacityScope.ofNamespace(Namespace.ofNullable(namespace));
        }
        return group == null || group.isBlank() ? null : CapacityScope.ofGroup(group);
    }
}
