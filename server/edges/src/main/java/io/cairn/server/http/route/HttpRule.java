package io.cairn.server.http.route;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The right that a request of one route needs. Called on event loops, so it must not block. */
@FunctionalInterface
public interface HttpRule {

    /** Any caller, also without credentials. */
    HttpRule OPEN = (policy, who, request) -> null;
    /** Anybody who is known. */
    HttpRule KNOWN = (policy, who, request) -> policy.checkKnown(who);
    /** Those who may do everything. */
    HttpRule ADMIN = (policy, who, request) -> policy.checkAdmin(who);

    /** Null when the caller may have what the request asks for. */
    @Nullable
    Denial check(AccessPolicy policy, Identity who, HttpRequest request);

    /**
     * The configuration that the request names, read as its endpoint reads it. What cannot be read is for the endpoint to
     * refuse, and for those who may do everything to hear of.
     */
    static HttpRule config(Action action, Function<HttpRequest, ConfigKey> key) {
        return readable((policy, who, request) -> {
            ConfigKey wanted = key.apply(request);
            return policy.check(who, action, wanted.namespace(), wanted.group(), ResourceType.CONFIG, wanted.dataId());
        });
    }

    /** The service that the request names, as {@link #config} the configuration. */
    static HttpRule service(Action action, Function<HttpRequest, ServiceKey> key) {
        return readable((policy, who, request) -> {
            ServiceKey wanted = key.apply(request);
            return policy.check(who, action, wanted.namespace(), wanted.group(), ResourceType.NAMING, wanted.name());
        });
    }

    /** Something in the namespace that a parameter names, whatever it is. */
    static HttpRule namespace(String namespaceParameter) {
        return readable((policy, who, request) ->
                policy.checkEnter(who, Namespace.ofNullable(request.parameter(namespaceParameter))));
    }

    /**
     * Some of what is of that type in the namespace that a parameter names, the default one when it names none; each thing is checked where it is found, with the
     * {@linkplain RequestCaller caller}.
     */
    static HttpRule some(Action action, ResourceType type, String namespaceParameter) {
        return readable((policy, who, request) ->
                policy.checkEnter(who, action, Namespace.ofNullable(request.parameter(namespaceParameter)), type));
    }

    /** Some of what there is, wherever, as {@link #some}. */
    static HttpRule someAnywhere(Action action) {
        return (policy, who, request) -> policy.checkAnywhere(who, action);
    }

    /** A rule that may fail to read the request, which is then allowed to those only who may do everything. */
    static HttpRule readable(HttpRule rule) {
        return (policy, who, request) -> {
            try {
                return rule.check(policy, who, request);
            } catch (CairnException | IllegalArgumentException e) {
                return policy.checkAdmin(who);
            }
        };
    }
}
