package io.cairn.server.http.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.auth.AccountChange.Outcome;
import io.cairn.server.auth.AccountRows.Scope;
import io.cairn.server.auth.AccountRows.Token;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.KeyRotation;
import io.cairn.server.config.RowSource;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Tokens of machines, the keys that sign users' tokens, and the audit. */
public final class TokenActions {

    public static final Operation<NewToken> CREATE = Operation.of(NewToken.FORM)
            .needs(Right.admin())
            .answers(TokenEntry.class)
            .says("Creates a token for a program");
    public static final Operation<AccountQuery> LIST = Operation.of(AccountQuery.PAGE)
            .needs(Right.admin())
            .answers(Answer.pageOf(TokenEntry.class))
            .says("Lists the tokens of programs");
    public static final Operation<String> REVOKE = Operation.of(
                    Form.of(TokenEntry.ID.required()).as(TokenEntry.ID::of))
            .needs(Right.admin())
            .answers("string")
            .says("Ends a token of a program");
    public static final Operation<HttpRequest> ROTATE =
            Operation.of(Form.NONE).needs(Right.admin()).answers("string").says("Changes the signing secret of tokens");
    public static final Operation<RecordsQuery> AUDIT = Operation.of(RecordsQuery.PAGE)
            .needs(Right.admin())
            .answers(Answer.pageOf(AuditEntry.class))
            .says("Lists the audit log");
    public static final Operation<RecordsQuery> EXPORT = Operation.of(RecordsQuery.ALL)
            .needs(Right.admin())
            .answers("string")
            .says("Exports the audit log");

    private final AccountActions actions;
    private final AuditStore audit;
    private final KeyRotation keys;
    private final Executor pool;

    public TokenActions(AccountActions actions, AuditStore audit, KeyRotation keys, Executor pool) {
        this.actions = actions;
        this.audit = audit;
        this.keys = keys;
        this.pool = pool;
    }

    /** A request for a token with scopes such as {@code r dev:*:*, rw dev:g:config/a}. */
    public record NewToken(String name, List<Scope> scopes, Duration timeToLive) {

        private static final Parameter<String> NAME = Parameter.exact("name", "The name of the token");
        private static final Parameter<String> SCOPES = Parameter.exact(
                "scopes", "The rights, as <r|w|rw> <namespace>:<group>:<type>/<name>, separated by commas");
        private static final Parameter<Integer> TIME_TO_LIVE = Parameter.of(
                        "ttlSeconds", "integer", "The seconds until the token ends; 0 for never", AccountQuery::number)
                .orElse(0);

        static final Form<NewToken> FORM =
                Form.of(NAME.required(), SCOPES.required(), TIME_TO_LIVE).as(NewToken::read);

        private static NewToken read(HttpRequest request) {
            List<Scope> scopes = new ArrayList<>();
            for (String scope : SCOPES.of(request).split("[,\\n]")) {
                String text = scope.trim();
                int blank = text.indexOf(' ');
                if (blank < 0) {
                    throw new CairnException(
                            ErrorCode.INVALID_PARAMETER,
                            "scopes: '" + text + "' (expected: <r|w|rw> <namespace>:<group>:<type>/<name>, ...)");
                }
                scopes.add(new Scope(text.substring(blank + 1).trim(), text.substring(0, blank)));
            }
            return new NewToken(NAME.of(request), scopes, Duration.ofSeconds(TIME_TO_LIVE.of(request)));
        }
    }

    /** @param pageNumber from 1 on */
    public record RecordsQuery(AuditStore.Query wanted, int pageNumber, int pageSize) {

        private static final Parameter<String> WHO = Parameter.text("who", "The user, the token or the address");
        private static final Parameter<String> TYPE =
                Parameter.text("type", "The kind of actions, where action is absent");
        private static final Parameter<String> ACTION = Parameter.text("action", "The action");
        private static final Parameter<String> TARGET =
                Parameter.text("target", "A part of the target, or a pattern with *");
        private static final Parameter<String> ADDRESS = Parameter.text("address", "The address");
        private static final Parameter<Long> FROM =
                Parameter.of("from", "integer", "The first time, in epoch milliseconds", RecordsQuery::millis);
        private static final Parameter<Long> UNTIL =
                Parameter.of("until", "integer", "The last time, in epoch milliseconds", RecordsQuery::millis);

        private static final Form<HttpRequest> PARAMETERS =
                Form.of(WHO, TYPE, ACTION, TARGET, ADDRESS, FROM, UNTIL, AccountQuery.PAGE_NO, AccountQuery.PAGE_SIZE);

        /** One page, the newest first. */
        static final Form<RecordsQuery> PAGE = PARAMETERS.as(
                request -> new RecordsQuery(wanted(request), AccountQuery.page(request), AccountQuery.size(request)));

        static final Form<RecordsQuery> ALL =
                PARAMETERS.as(request -> new RecordsQuery(wanted(request), 1, Integer.MAX_VALUE));

        private static AuditStore.Query wanted(HttpRequest request) {
            return new AuditStore.Query(
                    WHO.orNull(request),
                    action(request),
                    anywhere(TARGET.orNull(request)),
                    ADDRESS.orNull(request),
                    FROM.or(request, 0L),
                    UNTIL.or(request, Long.MAX_VALUE));
        }

        /** Matches any part of a target, unless the text has a star itself. */
        private static @Nullable String anywhere(@Nullable String text) {
            return text == null || text.indexOf('*') >= 0 ? text : '*' + text + '*';
        }

        /** The action, or with {@code type} all actions on one kind. */
        private static @Nullable String action(HttpRequest request) {
            String action = ACTION.orNull(request);
            String type = TYPE.orNull(request);
            return action != null || type == null ? action : type + "*";
        }

        private static long millis(String text, String name) {
            try {
                return Long.parseLong(text.trim());
            } catch (NumberFormatException e) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, name + ": '" + text + "' (expected: epoch milliseconds)", e);
            }
        }
    }

    /**
     * A token of a program.
     *
     * @param revokedAt epoch milliseconds, as the other times; null while valid
     * @param token the secret, present only at its creation
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

        private static final Parameter<String> ID = Parameter.exact("id", "The id of the token");

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
     * A record of the audit; times in epoch milliseconds.
     *
     * @param node the acting node; null on a single server
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

    /** All tokens, without their secrets, which are not stored. */
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

    public CompletionStage<String> rotate(HttpRequest request, HttpRequest http) {
        return CompletableFuture.supplyAsync(
                () -> {
                    keys.rotate();
                    actions.record(http, "secret.rotate", "", null);
                    return "rotate secret ok!";
                },
                pool);
    }

    /** One page of records, newest first. Fails with {@code INVALID_PARAMETER} beyond the size of a response. */
    public CompletionStage<PageBody<AuditEntry>> audit(RecordsQuery query, HttpRequest http) {
        return CompletableFuture.supplyAsync(
                () -> {
                    long count = audit.count(query.wanted);
                    AccountQuery.mustFit(query.pageNumber, query.pageSize, count);
                    return PageBody.of(
                            count, query.pageNumber, query.pageSize, Rows.of(new Records(query).begun(http.lease())));
                },
                pool);
    }

    /** All records as lines of JSON, newest first. */
    public CompletionStage<HttpResponse> export(RecordsQuery query, HttpRequest http) {
        return CompletableFuture.supplyAsync(
                () -> HttpResponse.status(200)
                        .header("Content-Disposition", "attachment; filename=cairn-audit.jsonl")
                        .contentType("application/x-ndjson")
                        .body(JsonText.lines(Rows.of(new Records(query).begun(http.lease())))),
                pool);
    }

    /** The records of a query; later records do not shift them. */
    private final class Records implements RowSource<AuditEntry> {

        private static final int RECORDS_TOGETHER = 200;

        private final RecordsQuery query;
        private int left;
        private long before;

        Records(RecordsQuery query) {
            this.query = query;
            this.left = query.pageSize;
        }

        @Override
        public List<AuditEntry> next(MemoryLease lease) {
            int size = Math.min(left, RECORDS_TOGETHER);
            if (size == 0) {
                return List.of();
            }
            long offset = (long) (query.pageNumber - 1) * query.pageSize;
            List<AuditRecord> some =
                    before == 0 ? audit.find(query.wanted, offset, size) : audit.findBefore(query.wanted, before, size);
            left = some.size() < size ? 0 : left - size;
            if (!some.isEmpty()) {
                before = some.get(some.size() - 1).id();
            }
            return some.stream().map(AuditEntry::of).toList();
        }

        @Override
        public boolean isReady() {
            return left == 0;
        }
    }
}
