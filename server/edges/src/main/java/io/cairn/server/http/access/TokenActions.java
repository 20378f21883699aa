package io.cairn.server.http.access;

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
import io.cairn.server.http.route.RequestCaller;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Tokens for machines, the keys that users' tokens are signed with, and the record of what was done. */
public final class TokenActions {

    private static final int MAX_PAGE = 500;
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

    /** Makes a token out of {@code name}, {@code ttlSeconds} and {@code scopes}: {@code r dev:*:*, rw dev:g:config/a}. */
    public CompletionStage<Object> create(HttpRequest request) {
        actions.requireOn();
        List<Scope> scopes = new ArrayList<>();
        for (String scope : AccountActions.required(request, "scopes").split("[,\\n]")) {
            String text = scope.trim();
            int blank = text.indexOf(' ');
            if (blank < 0) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        "scopes: '" + text + "' (expected: <r|w|rw> <namespace>:<group>:<type>/<name>, ...)");
            }
            scopes.add(new Scope(text.substring(blank + 1).trim(), text.substring(0, blank)));
        }
        return actions.service()
                .createToken(
                        AccountActions.required(request, "name"),
                        scopes,
                        AccountActions.seconds(request, "ttlSeconds"),
                        RequestCaller.of(request))
                .thenApply(created -> {
                    Map<String, Object> answer = row(created.token());
                    answer.put("token", created.secret());
                    return answer;
                });
    }

    /** All tokens, without their secrets, which are not known. */
    public Map<String, Object> list(HttpRequest request) {
        actions.requireOn();
        return AccountLists.page(actions.service().accounts().rows().tokens(), request, TokenActions::row);
    }

    private static Map<String, Object> row(Token token) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", token.id());
        row.put("name", token.name());
        row.put(
                "scopes",
                token.scopes().stream()
                        .map(scope -> scope.action() + ' ' + scope.resource())
                        .toList());
        row.put("createdBy", token.createdBy());
        row.put("createdAt", token.createdAtMillis());
        row.put("expiresAt", token.expiresAtMillis());
        row.put("revokedAt", token.revokedAtMillis() == 0 ? null : token.revokedAtMillis());
        return row;
    }

    public CompletionStage<Object> revoke(HttpRequest request) {
        actions.requireOn();
        String id = AccountActions.required(request, "id");
        return actions.service().revokeToken(id, RequestCaller.of(request)).thenApply(outcome -> {
            if (outcome == Outcome.ABSENT) {
                throw new CairnException(ErrorCode.NOT_FOUND, "token " + id + " does not exist or is revoked already");
            }
            return "revoke token ok!";
        });
    }

    /** Signs with a new key; the tokens of the present one stay good until their end. */
    public CompletionStage<Object> rotate(HttpRequest request) {
        actions.requireOn();
        return CompletableFuture.supplyAsync(
                () -> {
                    keys.rotate();
                    actions.record(request, "secret.rotate", "", null);
                    return "rotate secret ok!";
                },
                pool);
    }

    /**
     * Records, the newest first, narrowed by {@code who}, {@code type}, {@code action}, {@code target}, {@code address} and
     * times.
     */
    public CompletionStage<Object> audit(HttpRequest request) {
        AuditStore.Query query = query(request);
        int number = Math.max(1, AccountLists.number(request, "pageNo", 1));
        int size = Math.min(MAX_PAGE, Math.max(1, AccountLists.number(request, "pageSize", 100)));
        return CompletableFuture.supplyAsync(
                () -> {
                    long count = audit.count(query);
                    Map<String, Object> page = new LinkedHashMap<>();
                    page.put("totalCount", count);
                    page.put("pageNumber", number);
                    page.put("pagesAvailable", (count + size - 1) / size);
                    page.put(
                            "pageItems",
                            audit.find(query, (long) (number - 1) * size, size).stream()
                                    .map(TokenActions::row)
                                    .toList());
                    return page;
                },
                pool);
    }

    /** The same as lines of JSON, at most {@value #MAX_EXPORT} of them; older ones by {@code until}. */
    public CompletionStage<HttpResponse> export(HttpRequest request) {
        AuditStore.Query query = query(request);
        return CompletableFuture.supplyAsync(
                () -> HttpResponse.status(200)
                        .header("Content-Disposition", "attachment; filename=cairn-audit.jsonl")
                        .contentType("application/x-ndjson")
                        .body(actions.lines(audit.find(query, 0, MAX_EXPORT).stream()
                                .map(TokenActions::row)
                                .toList())),
                pool);
    }

    private static AuditStore.Query query(HttpRequest request) {
        return new AuditStore.Query(
                given(request, "who"),
                action(request),
                anywhere(given(request, "target")),
                given(request, "address"),
                millis(request, "from", 0),
                millis(request, "until", Long.MAX_VALUE));
    }

    /** Who looks for a target seldom knows all of it: what is given may stand anywhere in it, unless it holds a star itself. */
    private static @Nullable String anywhere(@Nullable String text) {
        return text == null || text.indexOf('*') >= 0 ? text : '*' + text + '*';
    }

    /** The action, or with {@code type} all of one kind of thing. */
    private static @Nullable String action(HttpRequest request) {
        String action = given(request, "action");
        String type = given(request, "type");
        return action != null || type == null ? action : type + "*";
    }

    private static @Nullable String given(HttpRequest request, String name) {
        String value = request.parameter(name);
        return value == null || value.isBlank() ? null : value;
    }

    private static long millis(HttpRequest request, String name, long ifAbsent) {
        String text = given(request, name);
        try {
            return text == null ? ifAbsent : Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, name + ": '" + text + "' (expected: epoch milliseconds)", e);
        }
    }

    private static Map<String, Object> row(AuditRecord entry) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", entry.id());
        row.put("at", entry.atMillis());
        row.put("who", entry.who());
        row.put("kind", entry.kind());
        row.put("address", entry.address());
        row.put("action", entry.action());
        row.put("target", entry.target());
        row.put("before", entry.before());
        row.put("after", entry.after());
        row.put("detail", entry.detail());
        return row;
    }
}
