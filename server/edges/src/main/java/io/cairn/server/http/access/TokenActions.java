package io.cairn.server.http.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccountChange.Outcome;
import io.cairn.server.auth.AccountRows.Scope;
import io.cairn.server.auth.AccountRows.Token;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.KeyRotation;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameters;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Tokens for machines, the keys that users' tokens are signed with, and the record of what was done. */
public final class TokenActions {

    public static final Operation<NewToken> CREATE = Operation.of(NewToken.FORM)
            .needs(Right.admin())
            .answers(TokenEntry.class)
            .says("Creates a token for a program");
    public static final Operation<AccountQuery> LIST = Operation.of(AccountQuery.TOKENS)
            .needs(Right.admin())
            .answers(Answer.pageOf(TokenEntry.class))
            .says("Lists the tokens of programs");
    public static final Operation<String> REVOKE = Operation.of(
                    Form.of("id!", request -> Parameters.present(request, "id")))
            .needs(Right.admin())
            .answers("string")
            .says("Ends a token of a program");
    public static final Operation<HttpRequest> ROTATE =
            Operation.of(Form.NONE).needs(Right.admin()).answers("object").says("Changes the signing secret of tokens");
    public static final Operation<RecordsQuery> AUDIT = Operation.of(RecordsQuery.PAGE)
            .needs(Right.admin())
            .answers(Answer.pageOf(AuditEntry.class))
            .says("Lists the audit log");
    public static final Operation<RecordsQuery> EXPORT = Operation.of(RecordsQuery.ALL)
            .needs(Right.admin())
            .answers("string")
            .says("Exports the audit log");

    private static final int MAX_EXPORT = 10_000;

    private final AccountActions actions;
    private final AuditStore audit;
    private final KeyRotation keys;
    private final Executor pool;

    /** @param pool for what blocks */
    public TokenActions(AccountActions actions, AuditStore audit, KeyRotation keys, Executor pool) {
        this.actions = actions;
        this.audit = audit;
        this.keys = keys;
        this.pool = pool;
    }

    /** A request for a token, with scopes such as {@code r dev:*:*, rw dev:g:config/a}. */
    public record NewToken(String name, List<Scope> scopes, Duration timeToLive) {

        static final Form<NewToken> FORM = Form.of("name! scopes! ttlSeconds:integer", NewToken::read);

        private static NewToken read(HttpRequest request) {
            List<Scope> scopes = new ArrayList<>();
            for (String scope : Parameters.present(request, "scopes").split("[,\\n]")) {
                String text = scope.trim();
                int blank = text.indexOf(' ');
                if (blank < 0) {
                    throw new CairnException(
                            ErrorCode.INVALID_PARAMETER,
                            "scopes: '" + text + "' (expected: <r|w|rw> <namespace>:<group>:<type>/<name>, ...)");
                }
                scopes.add(new Scope(text.substring(blank + 1).trim(), text.substring(0, blank)));
            }
            return new NewToken(
                    Parameters.present(request, "name"),
                    scopes,
                    Duration.ofSeconds(AccountQuery.number(request, "ttlSeconds", 0)));
        }
    }

    /**
     * A request for records of the audit.
     *
     * @param pageNumber from 1 on
     */
    public record RecordsQuery(AuditStore.Query wanted, int pageNumber, int pageSize) {

        private static final String PARAMETERS =
                "who type action target address from:integer until:integer pageNo:integer pageSize:integer";

        /** One page, the newest first. */
        static final Form<RecordsQuery> PAGE = Form.of(
                PARAMETERS,
                request -> new RecordsQuery(wanted(request), AccountQuery.page(request), AccountQuery.size(request)));
        /** As many as an export may have. */
        static final Form<RecordsQuery> ALL =
                Form.of(PARAMETERS, request -> new RecordsQuery(wanted(request), 1, MAX_EXPORT));

        private static AuditStore.Query wanted(HttpRequest request) {
            return new AuditStore.Query(
                    Parameters.text(request, "who"),
                    action(request),
                    anywhere(Parameters.text(request, "target")),
                    Parameters.text(request, "address"),
                    millis(request, "from", 0),
                    millis(request, "until", Long.MAX_VALUE));
        }

        /** A target is found by any part of it, unless the text holds a star itself. */
        private static @Nullable String anywhere(@Nullable String text) {
            return text == null || text.indexOf('*') >= 0 ? text : '*' + text + '*';
        }

        /** The action, or with {@code type} all of one kind of thing. */
        private static @Nullable String action(HttpRequest request) {
            String action = Parameters.text(request, "action");
            String type = Parameters.text(request, "type");
            return action != null || type == null ? action : type + "*";
        }

        private static long millis(HttpRequest request, String name, long ifAbsent) {
            String text = Parameters.text(request, name);
            try {
                return text == null ? ifAbsent : Long.parseLong(text.trim());
            } catch (NumberFormatException e) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, name + ": '" + text + "' (expected: epoch milliseconds)", e);
            }
        }

        private List<AuditEntry> find(AuditStore audit) {
            return audit.find(wanted, (long) (pageNumber - 1) * pageSize, pageSize).stream()
                    .map(AuditEntry::of)
                    .toList();
        }
    }

    /**
     * A token of a program.
     *
     * @param revokedAt in epoch milliseconds, as the other times; null while it is good
     * @param token the secret, known when it is made only
     */
    public record TokenEntry(
            String id,
            String name,
            List<String> scopes,
            String createdBy,
            long createdAt,
            long expiresAt,
            @Nullable Long revokedAt,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String token) {

        static TokenEntry of(Token token, @Nullable String secret) {
            return new TokenEntry(
                    token.id(),
                    token.name(),
                    token.scopes().stream()
                            .map(scope -> scope.action() + ' ' + scope.resource())
                            .toList(),
                    token.createdBy(),
                    token.createdAtMillis(),
                    token.expiresAtMillis(),
                    token.revokedAtMillis() == 0 ? null : token.revokedAtMillis(),
                    secret);
        }
    }

    /**
     * A record of the audit; its time is in epoch milliseconds.
     *
     * @param node the node of a cluster that did it; null for a server that is alone
     */
    public record AuditEntry(
            long id,
            long at,
            String who,
            String kind,
            String address,
            String action,
            String target,
            @Nullable String before,
            @Nullable String after,
            @Nullable String detail,
            @Nullable String node) {

        static AuditEntry of(AuditRecord entry) {
            return new AuditEntry(
                    entry.id(),
                    entry.atMillis(),
                    entry.who(),
                    entry.kind(),
                    entry.address(),
                    entry.action(),
                    entry.target(),
                    entry.before(),
                    entry.after(),
                    entry.detail(),
                    entry.node());
        }
    }

    public CompletionStage<TokenEntry> create(NewToken request, HttpRequest http) {
        return actions.service()
                .createToken(request.name, request.scopes, request.timeToLive, RequestCaller.of(http))
                .thenApply(created -> TokenEntry.of(created.token(), created.secret()));
    }

    /** All tokens, without their secrets, which are not known. */
    public PageBody<TokenEntry> list(AccountQuery query) {
        return query.cut(actions.service().accounts().rows().tokens(), token -> TokenEntry.of(token, null));
    }

    public CompletionStage<String> revoke(String id, HttpRequest http) {
        return actions.service().revokeToken(id, RequestCaller.of(http)).thenApply(outcome -> {
            if (outcome == Outcome.ABSENT) {
                throw new CairnException(ErrorCode.NOT_FOUND, "token " + id + " does not exist or is revoked already");
            }
            return "revoke token ok!";
        });
    }

    /** Signs with a new key; the tokens of the present one stay good until their end. */
    public CompletionStage<String> rotate(HttpRequest request, HttpRequest http) {
        return CompletableFuture.supplyAsync(
                () -> {
                    keys.rotate();
                    actions.record(http, "secret.rotate", "", null);
                    return "rotate secret ok!";
                },
                pool);
    }

    /** One page of records, the newest first. */
    public CompletionStage<PageBody<AuditEntry>> audit(RecordsQuery query) {
        return CompletableFuture.supplyAsync(
                () -> {
                    long count = audit.count(query.wanted);
                    return PageBody.of(count, query.pageNumber, query.pageSize, query.find(audit));
                },
                pool);
    }

    /** Records as lines of JSON, at most {@value #MAX_EXPORT} of them; older ones by {@code until}. */
    public CompletionStage<HttpResponse> export(RecordsQuery query) {
        return CompletableFuture.supplyAsync(
                () -> {
                    ByteArrayOutputStream lines = new ByteArrayOutputStream();
                    for (AuditEntry entry : query.find(audit)) {
                        lines.writeBytes(JsonBody.of(entry));
                        lines.write('\n');
                    }
                    return HttpResponse.status(200)
                            .header("Content-Disposition", "attachment; filename=cairn-audit.jsonl")
                            .contentType("application/x-ndjson")
                            .body(lines.toByteArray());
                },
                pool);
    }
}
