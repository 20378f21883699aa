package io.cairn.server.rpc;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The right of a message, computed from the request. Where the request has no legal name, it throws the handler's exception.
 *
 * @param <T> the request
 */
public final class MessageRight<T> {

    private final @Nullable Check<T> check;

    @FunctionalInterface
    private interface Check<T> {
        @Nullable
        Denial of(AccessPolicy policy, Principal caller, T request);
    }

    private MessageRight(@Nullable Check<T> check) {
        this.check = check;
    }

    /** No right: the caller is not identified, and the request counts towards no limit. */
    public static <T> MessageRight<T> open() {
        return new MessageRight<>(null);
    }

    public static <T> MessageRight<T> config(Action action, Function<T, ConfigKey> key) {
        return new MessageRight<>((policy, caller, request) -> check(policy, caller, action, key.apply(request)));
    }

    /** The right to a configuration at least; the handler leaves out the others. An empty request needs no right. */
    public static <T, R> MessageRight<T> anyConfig(
            Action action, Function<T, List<R>> rows, Function<R, ConfigKey> key) {
        return new MessageRight<>((policy, caller, request) -> {
            Denial denial = null;
            for (R row : rows.apply(request)) {
                denial = check(policy, caller, action, key.apply(row));
                if (denial == null) {
                    return null;
                }
            }
            return denial;
        });
    }

    public static <T> MessageRight<T> service(Action action, Function<T, ServiceKey> key) {
        return new MessageRight<>((policy, caller, request) -> {
            ServiceKey service = key.apply(request);
            return policy.check(
                    caller, action, service.namespace(), service.group(), ResourceType.NAMING, service.name());
        });
    }

    /** The right to anything of that type in the namespace; the handler leaves out hidden resources. */
    public static <T> MessageRight<T> enter(Action action, ResourceType type, Function<T, Namespace> namespace) {
        return new MessageRight<>(
                (policy, caller, request) -> policy.checkEnter(caller, action, namespace.apply(request), type));
    }

    private static @Nullable Denial check(AccessPolicy policy, Principal caller, Action action, ConfigKey key) {
        return policy.check(caller, action, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId());
    }

    boolean isOpen() {
        return check == null;
    }

    /** Null when the caller has the right. */
    @Nullable
    Denial check(AccessPolicy policy, Principal caller, T request) {
        return check == null ? null : check.of(policy, caller, request);
    }
}
