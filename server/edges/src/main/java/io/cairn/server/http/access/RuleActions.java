package io.cairn.server.http.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.auth.AccountRows.IssuerRule;
import io.cairn.server.auth.AccountService;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The rules that give roles to the callers of an issuer: those of the settings are shown, stored ones are changed. */
public final class RuleActions {

    private static final Parameter<String> ID = Parameter.exact("id", "The id of the stored rule");
    private static final Parameter<String> CLAIM =
            Parameter.exact("claim", "The claim of the token, with dots for a claim inside a claim");
    private static final Parameter<String> VALUE =
            Parameter.exact("value", "The value of the claim, in which * stands for any characters");

    public static final Operation<AccountQuery> LIST = Operation.of(AccountQuery.PAGE)
            .needs(Right.admin())
            .answers(Answer.pageOf(RuleEntry.class))
            .says(
                    "Lists the rules that give roles to callers of the issuer: those of the settings, then the stored ones");
    public static final Operation<NewRule> CREATE = Operation.of(NewRule.FORM)
            .needs(Right.admin())
            .answers(RuleEntry.class)
            .says("Stores a rule that gives a role to callers of the issuer");
    public static final Operation<ChangedRule> UPDATE = Operation.of(ChangedRule.FORM)
            .needs(Right.admin())
            .answers(RuleEntry.class)
            .says("Replaces a stored rule");
    public static final Operation<String> DELETE = Operation.of(
                    Form.of(ID.required()).as(ID::of))
            .needs(Right.admin())
            .answers("string")
            .says("Deletes a stored rule");

    private static final String OF_SETTINGS = "setting";
    private static final String STORED = "stored";

    private final AccountService service;
    private final IssuerTokens issuer;

    public RuleActions(AccountService service, IssuerTokens issuer) {
        this.service = service;
        this.issuer = issuer;
    }

    /** A request to store a rule. */
    public record NewRule(String claim, String value, String role) {

        private static final Form<HttpRequest> PARAMETERS =
                Form.of(CLAIM.required(), VALUE.required(), AccountParameters.ROLE.required());

        static final Form<NewRule> FORM = PARAMETERS.as(NewRule::read);

        private static NewRule read(HttpRequest request) {
            return new NewRule(CLAIM.of(request), VALUE.of(request), AccountParameters.ROLE.of(request));
        }
    }

    /** A request to replace a stored rule. */
    public record ChangedRule(String id, NewRule rule) {

        static final Form<ChangedRule> FORM = NewRule.PARAMETERS
                .and(ID.required())
                .as(request -> new ChangedRule(ID.of(request), NewRule.read(request)));
    }

    /**
     * A rule.
     *
     * @param id null for a rule of the settings, which requests cannot change
     * @param source {@code setting} or {@code stored}
     * @param globalAdmin whether its callers are administrators
     * @param changedBy the caller that stored or changed it last; null for a rule of the settings
     * @param changedAt epoch milliseconds; null for a rule of the settings
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record RuleEntry(
            @Nullable String id,
            String claim,
            String value,
            String role,
            String source,
            boolean globalAdmin,
            @Nullable String changedBy,
            @Nullable Long changedAt) {

        static RuleEntry ofSettings(String text) {
            RoleRule rule = RoleRule.parse(text);
            return new RuleEntry(
                    null, rule.claim(), rule.value(), rule.role(), OF_SETTINGS, rule.isAdmin(), null, null);
        }

        static RuleEntry of(IssuerRule stored) {
            RoleRule rule = stored.rule();
            return new RuleEntry(
                    stored.id(),
                    rule.claim(),
                    rule.value(),
                    rule.role(),
                    STORED,
                    rule.isAdmin(),
                    stored.changedBy(),
                    stored.changedAtMillis());
        }
    }

    public PageBody<RuleEntry> list(AccountQuery query) {
        List<RuleEntry> all = new ArrayList<>();
        issuer.rules().forEach(text -> all.add(RuleEntry.ofSettings(text)));
        service.accounts().rows().rules().forEach(stored -> all.add(RuleEntry.of(stored)));
        return query.cut(all, entry -> entry);
    }

    public CompletionStage<RuleEntry> create(NewRule rule, HttpRequest http) {
        return service.createRule(rule.claim, rule.value, rule.role, RequestCaller.of(http))
                .thenApply(RuleEntry::of);
    }

    public CompletionStage<RuleEntry> update(ChangedRule change, HttpRequest http) {
        NewRule rule = change.rule;
        return service.updateRule(change.id, rule.claim, rule.value, rule.role, RequestCaller.of(http))
                .thenApply(RuleEntry::of);
    }

    public CompletionStage<String> delete(String id, HttpRequest http) {
        return service.deleteRule(id, RequestCaller.of(http)).thenApply(deleted -> "delete rule ok!");
    }
}
