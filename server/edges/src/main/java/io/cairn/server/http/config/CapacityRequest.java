package io.cairn.server.http.config;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import org.jspecify.annotations.Nullable;

/**
 * A request about the capacity of a group or a namespace, in whichever version.
 *
 * @param scope null when the request names neither
 * @param change the limits to be set; none in a request that shows them
 */
public record CapacityRequest(@Nullable CapacityScope scope, CapacityChange change) {

    /** Reads a number in the words of one version; null when it is absent. */
    @FunctionalInterface
    public interface Numbers {
        @Nullable
        Integer read(HttpRequest request, String name);
    }

    /**
     * The request to show a capacity.
     *
     * @param group the name of the parameter with the group
     * @param namespace the name of the parameter with the namespace
     */
    public static Operation.Needs<CapacityRequest> show(String group, String namespace) {
        return Operation.of(Form.of(
                        group + ' ' + namespace,
                        request -> new CapacityRequest(scope(request, group, namespace), CapacityChange.NONE)))
                .needs(Right.admin());
    }

    /** The request to set limits; the names are those of {@link #show}. */
    public static Operation.Needs<CapacityRequest> set(String group, String namespace, Numbers numbers) {
        return Operation.of(Form.of(
                        group + ' ' + namespace
                                + " quota:integer maxSize:integer maxAggrCount:integer maxAggrSize:integer",
                        request -> {
                            CapacityScope scope = scope(request, group, namespace);
                            return new CapacityRequest(
                                    scope, scope == null ? CapacityChange.NONE : change(request, numbers));
                        }))
                .needs(Right.admin());
    }

    /** The namespace, or else the group; null when neither is named. */
    private static @Nullable CapacityScope scope(HttpRequest request, String groupName, String namespaceName) {
        String group = request.parameter(groupName);
        String namespace = request.parameter(namespaceName);
        ParameterCheck.config(null, group, namespace);
        if (namespace != null && !namespace.isBlank()) {
            return CapacityScope.ofNamespace(Namespace.ofNullable(namespace));
        }
        return group == null || group.isBlank() ? null : CapacityScope.ofGroup(group);
    }

    private static CapacityChange change(HttpRequest request, Numbers numbers) {
        return new CapacityChange(
                numbers.read(request, "quota"),
                numbers.read(request, "maxSize"),
                numbers.read(request, "maxAggrCount"),
                numbers.read(request, "maxAggrSize"));
    }
}
