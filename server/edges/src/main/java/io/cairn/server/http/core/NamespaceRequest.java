package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Form;
import io.cairn.server.namespace.NamespaceDraft;
import org.jspecify.annotations.Nullable;

/**
 * A request about one namespace. What it lacks is refused by the action.
 *
 * @param idParameter the parameter that the id was read from
 */
public record NamespaceRequest(
        String idParameter,
        @Nullable String id,
        @Nullable String name,
        @Nullable String description) {

    /** A request for the namespace in this parameter. */
    public static Form<NamespaceRequest> naming(String idParameter) {
        return Form.of(
                idParameter + '!',
                request -> new NamespaceRequest(idParameter, request.parameter(idParameter), null, null));
    }

    /**
     * A request to create a namespace; an id is drawn when it is blank or absent. The API of Nacos names the id differently
     * at its paths, and its own console has sent the name of another path. So the second parameter counts where the first is
     * absent. Where the first is blank it does not: consoles add the namespace on display to each request.
     */
    public static Form<NamespaceRequest> creating(String idParameter, String otherIdParameter) {
        return Form.of(
                idParameter + ' ' + otherIdParameter + " namespaceName! namespaceDesc",
                request -> described(request, request.parameter(idParameter) == null ? otherIdParameter : idParameter));
    }

    /** A request to rename the namespace in {@code namespaceId}. */
    public static Form<NamespaceRequest> editing() {
        return Form.of("namespaceId! namespaceName! namespaceDesc", request -> described(request, "namespaceId"));
    }

    private static NamespaceRequest described(HttpRequest request, String idParameter) {
        return new NamespaceRequest(
                idParameter,
                request.parameter(idParameter),
                request.parameter("namespaceName"),
                request.parameter("namespaceDesc"));
    }

    /** The same request, after the check of names that stands before all endpoints of versions 1 and 2. */
    public NamespaceRequest checked() {
        ParameterCheck.namespace(id);
        if (name != null && !name.isEmpty() && !NamespaceDraft.isLegalName(name)) {
            throw ParameterException.refused("namespaceShowName", "illegal characters should not appear in the param.");
        }
        return this;
    }

    /** The namespace; the default one when none is named. */
    public Namespace namespace() {
        return Namespace.ofNullable(id);
    }

    /** The id as it was sent; may be empty. */
    String presentId() {
        if (id == null) {
            throw ParameterException.missing(idParameter);
        }
        return id;
    }

    /** The namespace to be stored, before it is checked. */
    public NamespaceDraft draft() {
        return new NamespaceDraft(id, name, description);
    }
}
