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
 * The right that a request of an endpoint needs, computed from the typed request. Immutable; checks run on event loops and do
 * not block.
 *
 * @param <T> the typed request of the endpoint
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

    /** A check that needs the caller only. */
    @FunctionalInterface
    public interface OfCaller {
        /** Null when the caller has the right. */
        @Nullable
        Denial check(AccessPolicy policy, Identity who);
    }

    /** A check of a request. */
    @FunctionalInterface
    public interface Check<T> {
        /** Null when the caller has the right. */
        @Nullable
        Denial check(AccessPolicy policy, Identity who, T request);
    }

    /** No right: the caller is not even asked for its identity. */
    public static <T> Right<T> open() {
        return new Right<>(true, (policy, who) -> null, (policy, who, request) -> null);
    }

    /** The identity of a known user. */
    public static <T> Right<T> known() {
        return ofCaller(AccessPolicy::checkKnown);
    }

    /** Every right. */
    public static <T> Right<T> admin() {
        return ofCaller(AccessPolicy::checkAdmin);
    }

    /** The right to do this to something, in whichever namespace; each thing is checked where the action finds it. */
    public static <T> Right<T> anywhere(Action action) {
        return ofCaller((policy, who) -> policy.checkAnywhere(who, action));
    }

    /** A right that does not depend on the request. It is checked before the request is read. */
    public static <T> Right<T> ofCaller(OfCaller check) {
        return new Right<>(false, check, (policy, who, request) -> check.check(policy, who));
    }

    /**
     * A right that depends on the request. A request that cannot be read is refused for that reason to administrators only;
     * any other caller is denied.
     */
    public static <T> Right<T> of(Check<T> check) {
        return new Right<>(false, null, check);
    }

    /** The right that the request itself decides on, among several. */
    public static <T> Right<T> either(Function<T, Right<T>> choice) {
        return of((policy, who, request) -> choice.apply(request).check.check(policy, who, request));
    }

    /** The right to read or write the configuration that a request names. */
    public static <T> Right<T> config(Action action, Function<T, ConfigKey> key) {
        return of((policy, who, request) -> {
            ConfigKey wanted = key.apply(request);
            return policy.check(who, action, wanted.namespace(), wanted.group(), ResourceType.CONFIG, wanted.dataId());
        });
    }

    /** The right to read or write the service that a request names. */
    public static <T> Right<T> service(Action action, Function<T, ServiceKey> key) {
        return of((policy, who, request) -> {
            ServiceKey wanted = key.apply(request);
            return policy.check(who, action, wanted.namespace(), wanted.group(), ResourceType.NAMING, wanted.name());
        });
    }

    /** Any right in the namespace that a request names. */
    public static <T> Right<T> namespace(Function<T, Namespace> namespace) {
        return of((policy, who, request) -> policy.checkEnter(who, namespace.apply(request)));
    }

    /** As {@link #namespace(Function)}, with the namespace in this parameter, the default one when it is absent. */
    public static Right<HttpRequest> namespace(String parameter) {
        return namespace(named(parameter));
    }

    /**
     * The right to some things of a type in the namespace that a request names; each of them is checked where the action finds
     * it, with the {@linkplain RequestCaller caller}.
     */
    public static <T> Right<T> some(Action action, ResourceType type, Function<T, Namespace> namespace) {
        return of((policy, who, request) -> policy.checkEnter(who, action, namespace.apply(request), type));
    }

    /** As {@link #some(Action, ResourceType, Function)}, with the namespace in this parameter. */
    public static Right<HttpRequest> some(Action action, ResourceType type, String parameter) {
        return some(action, type, named(parameter));
    }

    private static Function<HttpRequest, Namespace> named(String parameter) {
        return request -> Namespace.ofNullable(request.parameter(parameter));
    }

    /** Whether it is {@link #open}. */
    public boolean isOpen() {
        return open;
    }

    /** Whether the request is read for the check. */
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
