package io.cairn.server.http.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Permission;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourcePattern;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.access.AccountActions.PermissionEntry;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Shows a user its rights, so that clients need no trials. */
public final class OwnAccess {

    private static final Right<Question> OWN_OR_ADMIN = Right.of((policy, who, question) ->
            question.username == null ? policy.checkKnown(who) : policy.checkSelf(who, question.username));

    public static final Operation<Question> SHOW = Operation.of(
                    Form.of(Question.USERNAME, Question.NAMESPACE).as(Question::ofNamespace))
            .needs(OWN_OR_ADMIN)
            .answers(Rights.class)
            .says("Shows the rights of the sender");
    public static final Operation<Question> CHECK = Operation.of(Form.of(
                            Question.USERNAME,
                            Question.NAMESPACE,
                            Question.GROUP.required(),
                            Question.TYPE.required(),
                            Question.NAME.required())
                    .as(Question::ofResource))
            .needs(OWN_OR_ADMIN)
            .answers(AccessCheck.class)
            .says("Shows whether a user may read and write a resource, and by which rights");

    private final Accounts accounts;

    public OwnAccess(Accounts accounts) {
        this.accounts = accounts;
    }

    /**
     * A question about the rights of a user: in all namespaces, in one, or to one resource.
     *
     * @param username null for the caller; only administrators see others
     * @param type config, naming or metrics
     */
    public record Question(
            @Nullable String username,
            @Nullable String namespaceId,
            @Nullable String group,
            @Nullable String type,
            @Nullable String name) {

        private static final Parameter<String> USERNAME =
                Parameter.text("username", "The user; the sender when absent");
        private static final Parameter<String> NAMESPACE = Parameter.exact("namespaceId", "The namespace");
        private static final Parameter<String> GROUP = Parameter.exact("groupName", "The group of the resource");
        private static final Parameter<String> TYPE =
                Parameter.exact("type", "The type of the resource").values("config", "naming", "metrics");
        private static final Parameter<String> NAME = Parameter.exact("name", "The name of the resource");

        private static Question ofNamespace(HttpRequest request) {
            return new Question(USERNAME.orNull(request), NAMESPACE.orNull(request), null, null, null);
        }

        private static Question ofResource(HttpRequest request) {
            return new Question(
                    USERNAME.orNull(request),
                    NAMESPACE.orNull(request),
                    GROUP.orNull(request),
                    TYPE.orNull(request),
                    NAME.orNull(request));
        }
    }

    /**
     * @param somewhere the rights to any resource: r, w, rw or empty
     * @param namespace the rights in the named namespace, or null
     */
    public record Rights(
            String username,
            String kind,
            boolean globalAdmin,
            boolean mustChangePassword,
            List<Grant> permissions,
            String somewhere,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            InNamespace namespace) {

        record Grant(String resource, String action) {}

        record InNamespace(String namespaceId, String config, String naming) {}
    }

    /**
     * The rights of a user to one resource.
     *
     * @param because the matching rights of its roles
     */
    public record AccessCheck(
            String username, boolean globalAdmin, boolean read, boolean write, List<PermissionEntry> because) {}

    /** The rights of a user; {@link #check} decides about one resource. */
    public Rights show(Question question, HttpRequest http) {
        Principal shown = meant(question, http);
        return new Rights(
                shown.name(),
                shown.kind().name().toLowerCase(Locale.ROOT),
                shown.isAdmin(),
                shown.kind() == Principal.Kind.USER && accounts.mustChangePassword(shown.name()),
                shown.permissions().stream()
                        .map(permission ->
                                new Rights.Grant(permission.resource().toString(), permission.action()))
                        .distinct()
                        .toList(),
                actions(shown::mayAnywhere),
                question.namespaceId == null ? null : in(Namespace.ofNullable(question.namespaceId), shown));
    }

    private static Rights.InNamespace in(Namespace namespace, Principal shown) {
        return new Rights.InNamespace(
                namespace.id(),
                actions(action -> shown.mayEnter(action, namespace, ResourceType.CONFIG)),
                actions(action -> shown.mayEnter(action, namespace, ResourceType.NAMING)));
    }

    private static String actions(Predicate<Action> allowed) {
        return (allowed.test(Action.READ) ? "r" : "") + (allowed.test(Action.WRITE) ? "w" : "");
    }

    private Principal meant(Question question, HttpRequest http) {
        String username = question.username;
        Principal caller = RequestCaller.of(http).principal();
        Principal meant = username == null || username.equals(caller.name()) ? caller : accounts.principal(username);
        if (meant == null) {
            throw new CairnException(ErrorCode.NOT_FOUND, "user " + username + " not exist!");
        }
        return meant;
    }

    /** Whether a user may read and write one resource, by the decision for its requests, with the matching rights. */
    public AccessCheck check(Question question, HttpRequest http) {
        Principal meant = meant(question, http);
        Namespace namespace = Namespace.ofNullable(question.namespaceId);
        String group = Question.GROUP.require(question.group);
        String name = Question.NAME.require(question.name);
        ResourceType type = type(Question.TYPE.require(question.type));
        Set<String> roles = accounts.rolesOf(meant);
        return new AccessCheck(
                meant.name(),
                meant.isAdmin(),
                meant.may(Action.READ, namespace, group, type, name),
                meant.may(Action.WRITE, namespace, group, type, name),
                accounts.rows().permissions().stream()
                        .filter(row -> roles.contains(row.role()))
                        .filter(row -> Permission.isAction(row.action()))
                        .filter(row -> ResourcePattern.of(row.resource()).matches(namespace, group, type, name))
                        .map(PermissionEntry::of)
                        .toList());
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
