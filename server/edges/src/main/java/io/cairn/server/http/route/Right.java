package io.cairn.server.http.route;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The right of an endpoint's request, computed from the typed request. Checks run on event loops and do not block.
 *
 * @param <T> the typed request
 */
public final class Right<T> {

    private final boolean open;
    private final @Nullable OfCaller ofCaller;
    private final Check<T> check;

    private Right(boolean open, @Nullable OfCaller ofCaller, Check<T> check) {
        this.open = open;
        this.ofCaller = ofCaller;
        this.check = check;
    }

    /** A check of the caller alone. */
    @FunctionalInterface
    public interface OfCaller {
        /** Null when the caller has the right. */
        @Nullable
        Denial check(AccessPolicy policy, Identity who);
    }

    @FunctionalInterface
    public interface Check<T> {
        /** Null when the caller has the right. */
        @Nullable
        Denial check(AccessPolicy policy, Identity who, T request);
    }

    /** No right; the caller is not identified. */
    public static <T> Right<T> open() {
        return new Right<>(true, (policy, who) -> null, (policy, who, request) -> null);
    }

    /** A known user. */
    public static <T> Right<T> known() {
        return ofCaller(AccessPolicy::checkKnown);
    }

    /** Every right. */
    public static <T> Right<T> admin() {
        return ofCaller(AccessPolicy::checkAdmin);
    }

    /** The right to some resource of any namespace; the action checks each resource. */
    public static <T> Right<T> anywhere(Action action) {
        return ofCaller((policy, who) -> policy.checkAnywhere(who, action));
    }

    /** A right without regard to the request, checked before it is read. */
    public static <T> Right<T> ofCaller(OfCaller check) {
        return new Right<>(false, check, (policy, who, request) -> check.check(policy, who));
    }

    /** A right by the request. Only administrators learn why a request is unreadable; other callers are denied. */
    public static <T> Right<T> of(Check<T> check) {
        return new Right<>(false, null, check);
    }

    /** The right that the request selects. */
    public static <T> Right<T> either(Function<T, Right<T>> choice) {
        return of((policy, who, request) -> choice.apply(request).check.check(policy, who, request));
    }

    public static <T> Right<T> config(Action action, Function<T, ConfigKey> key) {
        return of((policy, who, request) -> {
            ConfigKey wanted = key.apply(request);
            return policy.check(who, action, wanted.namespace(), wanted.group(), ResourceType.CONFIG, wanted.dataId());
        });
    }

    public static <T> Right<T> service(Action action, Function<T, ServiceKey> key) {
        return of((policy, who, request) -> {
            ServiceKey wanted = key.apply(request);
            return policy.check(who, action, wanted.namespace(), wanted.group(), ResourceType.NAMING, wanted.name());
        });
    }

    /** Any right in the namespace of the request. */
    public static <T> Right<T> namespace(Function<T, Namespace> namespace) {
        return of((policy, who, request) -> policy.checkEnter(who, namespace.apply(request)));
    }

    /** As {@link #namespace(Function)}, with the namespace in this parameter, the default one when it is absent. */
    public static Right<HttpRequest> namespace(Parameter<String> parameter) {
        return namespace(named(parameter));
    }

    /**
     * The right to some resources of a type in the namespace; the action checks each of them by the
     * {@linkplain RequestCaller caller}.
     */
    public static <T> Right<T> some(Action action, ResourceType type, Function<T, Namespace> namespace) {
        return of((policy, who, request) -> policy.checkEnter(who, action, namespace.apply(request), type));
    }

    /** As {@link #some(Action, ResourceType, Function)}, with the namespace in this parameter. */
    public static Right<HttpRequest> some(Action action, ResourceType type, Parameter<String> parameter) {
        return some(action, type, named(parameter));
    }

    private static Function<HttpRequest, Namespace> named(Parameter<String> parameter) {
        return request -> Namespace.ofNullable(parameter.orNull(request));
    }

    public boolean isOpen() {
        return open;
    }

    boolean dependsOnRequest() {
        return ofCaller == null;
    }

    @Nullable
    Denial check(AccessPolicy policy, Identity who) {
        return Objects.requireNonNull(ofCaller).check(policy, who);
    }

    @Nullable
    Denial check(AccessPolicy policy, Identity who, T request) {
        return check.check(policy, who, request);
    }
}
