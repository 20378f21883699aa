package io.cairn.server.http.access;

import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.IssuerIdentity;
import io.cairn.server.auth.Principal;
import io.cairn.server.http.access.AccountActions.PermissionEntry;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Shows administrators what a token is allowed, and why. */
public final class TokenExplanation {

    private static final Parameter<String> TOKEN = Parameter.text("token", "The token");

    public static final Operation<String> EXPLAIN = Operation.of(
                    Form.of(TOKEN.required()).as(request -> TOKEN.of(request).trim()))
            .needs(Right.admin())
            .answers(Explained.class)
            .says("Shows whether a token is accepted, whose it is, its roles by rules, and its rights");

    private final Authenticator authenticator;
    private final Accounts accounts;

    public TokenExplanation(Authenticator authenticator, Accounts accounts) {
        this.authenticator = authenticator;
        this.accounts = accounts;
    }

    /**
     * @param refusal why the token is not accepted; else empty
     * @param source the issuer; empty for a token of this server
     * @param expiresAt epoch milliseconds of an issuer's token; else 0
     * @param rules the matching rules
     * @param permissions of the roles; of all, for an administrator, none is needed
     */
    public record Explained(
            boolean accepted,
            String refusal,
            String username,
            String kind,
            String source,
            String subject,
            long expiresAt,
            boolean globalAdmin,
            List<String> rules,
            List<String> roles,
            List<PermissionEntry> permissions) {}

    public CompletionStage<Explained> explain(String token) {
        CompletionStage<?> keys = authenticator.awaitKeys(token);
        return keys == null
                ? CompletableFuture.completedFuture(explainNow(token))
                : keys.thenApply(done -> explainNow(token));
    }

    private Explained explainNow(String token) {
        Authenticator.TokenFacts facts = authenticator.explain(token);
        Principal who = facts.who();
        if (who == null) {
            return new Explained(false, facts.refusal(), "", "", "", "", 0, false, List.of(), List.of(), List.of());
        }
        IssuerIdentity issued = facts.issued();
        List<String> roles = accounts.rolesOf(who).stream().sorted().toList();
        return new Explained(
                true,
                "",
                who.name(),
                who.kind().name().toLowerCase(Locale.ROOT),
                issued == null ? "" : issued.issuer(),
                issued == null ? "" : issued.subject(),
                issued == null ? 0 : issued.expiresAtMillis(),
                who.isAdmin(),
                facts.rules(),
                roles,
                who.kind() == Principal.Kind.TOKEN ? scopes(who) : permissions(roles));
    }

    private List<PermissionEntry> permissions(List<String> roles) {
        return accounts.rows().permissions().stream()
                .filter(row -> roles.contains(row.role()))
                .map(PermissionEntry::of)
                .toList();
    }

    /** The rights of a program's token are its own. */
    private static List<PermissionEntry> scopes(Principal who) {
        return who.permissions().stream()
                .map(permission -> new PermissionEntry("", permission.resource().toString(), permission.action()))
                .toList();
    }
}
