package io.cairn.server.http.access;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccountRows.Role;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Permission;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourcePattern;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.RequestCaller;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Says what somebody may do, so that nobody must find out by trying. */
public final class OwnAccess {

    private final Accounts accounts;

    public OwnAccess(Accounts accounts) {
        this.accounts = accounts;
    }

    /**
     * The caller's rights, or those of the user in {@code username}, for those who may do everything. They are told as
     * permissions, as what may be done with something somewhere, and with {@code namespaceId} for each type of resource as
     * what may be done with something in that namespace: whether with one resource, {@link #check} tells.
     */
    public Map<String, Object> show(HttpRequest request) {
        Principal shown = meant(request);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("username", shown.name());
        answer.put("kind", shown.kind().name().toLowerCase(Locale.ROOT));
        answer.put("globalAdmin", shown.isAdmin());
        answer.put("mustChangePassword", accounts.mustChangePassword(shown.name()));
        answer.put(
                "permissions",
                shown.permissions().stream()
                        .map(permission ->
                                Map.of("resource", permission.resource().toString(), "action", permission.action()))
                        .distinct()
                        .toList());
        answer.put("somewhere", actions(shown::mayAnywhere));
        String namespaceId = request.parameter("namespaceId");
        if (namespaceId != null) {
            answer.put("namespace", in(Namespace.ofNullable(namespaceId), shown));
        }
        return answer;
    }

    private static Map<String, Object> in(Namespace namespace, Principal shown) {
        Map<String, Object> rights = new LinkedHashMap<>();
        rights.put("namespaceId", namespace.id());
        for (ResourceType type : List.of(ResourceType.CONFIG, ResourceType.NAMING)) {
            rights.put(type.word(), actions(action -> shown.mayEnter(action, namespace, type)));
        }
        return rights;
    }

    /** As permissions spell them: r, w, rw; empty for none. */
    private static String actions(Predicate<Action> allowed) {
        return (allowed.test(Action.READ) ? "r" : "") + (allowed.test(Action.WRITE) ? "w" : "");
    }

    private Principal meant(HttpRequest request) {
        String username = request.parameter("username");
        Principal caller = RequestCaller.of(request).principal();
        Principal meant = username == null || username.isBlank() || username.equals(caller.name())
                ? caller
                : accounts.principal(username);
        if (meant == null) {
            throw new CairnException(ErrorCode.NOT_FOUND, "user " + username + " not exist!");
        }
        return meant;
    }

    /**
     * Whether he may read and write one resource, decided as a request of his would be, and by which rights. The resource
     * is {@code name} of {@code groupName} in {@code namespaceId}; {@code type} is config, naming or metrics.
     */
    public Map<String, Object> check(HttpRequest request) {
        Principal meant = meant(request);
        Namespace namespace = Namespace.ofNullable(request.parameter("namespaceId"));
        String group = AccountActions.required(request, "groupName");
        String name = AccountActions.required(request, "name");
        ResourceType type = type(AccountActions.required(request, "type"));
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("username", meant.name());
        answer.put("globalAdmin", meant.isAdmin());
        answer.put("read", meant.may(Action.READ, namespace, group, type, name));
        answer.put("write", meant.may(Action.WRITE, namespace, group, type, name));
        Set<String> roles = accounts.rows().roles().stream()
                .filter(role ->
                        meant.kind() == Principal.Kind.USER && role.username().equals(meant.name()))
                .map(Role::role)
                .collect(Collectors.toSet());
        answer.put(
                "because",
                accounts.rows().permissions().stream()
                        .filter(row -> roles.contains(row.role()))
                        .filter(row -> Permission.isAction(row.action()))
                        .filter(row -> ResourcePattern.of(row.resource()).matches(namespace, group, type, name))
                        .toList());
        return answer;
    }

    private static ResourceType type(String word) {
        for (ResourceType type : ResourceType.values()) {
            if (type.word().equals(word)) {
                return type;
            }
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER, "type: '" + word + "' (expected: config, naming or metrics)");
    }
}
