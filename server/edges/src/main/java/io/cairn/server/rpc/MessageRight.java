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
 * The right that requests of one type need, computed from the request as it was read. A function that finds no legal name in
 * the request throws what the handler would throw. Immutable.
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

    /** None: every client may send it. The caller is not identified, and the request counts towards no limit. */
    public static <T> MessageRight<T> open() {
        return new MessageRight<>(null);
    }

    /** To do that with the configuration. */
    public static <T> MessageRight<T> config(Action action, Function<T, ConfigKey> key) {
        return new MessageRight<>((policy, caller, request) -> check(policy, caller, action, key.apply(request)));
    }

    /**
     * To do that with at least one of the configurations; the handler leaves out the others. A request that names none needs no
     * right.
     */
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

    /** To do that with the service. */
    public static <T> MessageRight<T> service(Action action, Function<T, ServiceKey> key) {
        return new MessageRight<>((policy, caller, request) -> {
            ServiceKey service = key.apply(request);
            return policy.check(
                    caller, action, service.namespace(), service.group(), ResourceType.NAMING, service.name());
        });
    }

    /** To do that with anything of that type in the namespace; the handler leaves out what the caller may not see. */
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
