package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.namespace.NamespaceDraft;
import org.jspecify.annotations.Nullable;

/**
 * A request about one namespace. The action refuses absent parts.
 *
 * @param idParameter the parameter of the id
 */
public record NamespaceRequest(
        Parameter<String> idParameter,
        @Nullable String id,
        @Nullable String name,
        @Nullable String description) {

    public static final Parameter<String> ID = Parameter.exact("namespaceId", "The id of the namespace");
    public static final Parameter<String> CUSTOM_ID = ID.named("customNamespaceId");
    public static final Parameter<String> NAME = Parameter.exact("namespaceName", "The name of the namespace");
    public static final Parameter<String> DESCRIPTION =
            Parameter.exact("namespaceDesc", "The description of the namespace");

    /** A request for the namespace in this parameter. */
    public static Form<NamespaceRequest> naming(Parameter<String> idParameter) {
        return Form.of(idParameter.required())
                .as(request -> new NamespaceRequest(idParameter, idParameter.orNull(request), null, null));
    }

    /**
     * A request to create a namespace; a blank or absent id is generated. The API and the console of Nacos use different
     * parameters, so the second counts where the first is absent. It does not count where the first is blank: consoles add the
     * displayed namespace to each request.
     */
    public static Form<NamespaceRequest> creating(Parameter<String> idParameter, Parameter<String> otherId) {
        return Form.of(idParameter, otherId, NAME.required(), DESCRIPTION)
                .as(request -> described(request, idParameter.isIn(request) ? idParameter : otherId));
    }

    public static Form<NamespaceRequest> editing() {
        return Form.of(ID.required(), NAME.required(), DESCRIPTION).as(request -> described(request, ID));
    }

    private static NamespaceRequest described(HttpRequest request, Parameter<String> idParameter) {
        return new NamespaceRequest(
                idParameter, idParameter.orNull(request), NAME.orNull(request), DESCRIPTION.orNull(request));
    }

    /** The request after the check of names of versions 1 and 2. */
    public NamespaceRequest checked() {
        ParameterCheck.namespace(id);
        if (name != null && !name.isEmpty() && !NamespaceDraft.isLegalName(name)) {
            throw ParameterException.refused("namespaceShowName", "illegal characters should not appear in the param.");
        }
        return this;
    }

    public Namespace namespace() {
        return Namespace.ofNullable(id);
    }

    String presentId() {
        return idParameter.require(id);
    }

    public NamespaceDraft draft() {
        return new NamespaceDraft(id, name, description);
    }
}
