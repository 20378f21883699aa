package io.cairn.server.http.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.AccountChange.Outcome;
import io.cairn.server.auth.AccountRows.PermissionRow;
import io.cairn.server.auth.AccountRows.Role;
import io.cairn.server.auth.AccountRows.User;
import io.cairn.server.auth.AccountService;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.SecretFolder;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.route.RequestCaller;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * What can be done with users, roles and permissions, apart from how the versions of the API wrap it: results are data for
 * their envelopes. On a server that asks nobody who he is there is nothing to do here: what anybody could plant would be
 * in force as soon as it asks.
 */
public final class AccountActions {

    private static final String NO_TOKEN = "AUTH_DISABLED";
    private static final int NO_TOKEN_TTL_SECONDS = 18_000;
    private static final Logger log = LoggerFactory.getLogger(AccountActions.class);

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final AccountService service;
    private final AuditStore audit;
    private final SecretFolder secrets;
    private final JsonMapper json;
    private final Executor pool;

    public AccountActions(
            AccessPolicy policy,
            Authenticator authenticator,
            AccountService service,
            AuditStore audit,
            SecretFolder secrets,
            JsonMapper json,
            Executor pool) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.service = service;
        this.audit = audit;
        this.secrets = secrets;
        this.json = json;
        this.pool = pool;
    }

    /** The accounts and how they are changed. */
    public AccountService service() {
        return service;
    }

    /** @throws CairnException {@code UNSUPPORTED} on a server that asks nobody who he is */
    public void requireOn() {
        if (!policy.isEnabled()) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "authentication is off, so there are no users and permissions (expected:"
                            + " nacos.core.auth.enabled=true)");
        }
    }

    /** @throws ParameterException when it is absent */
    public static String required(HttpRequest request, String name) {
        String value = request.parameter(name);
        if (value == null) {
            throw ParameterException.missing(name);
        }
        return value;
    }

    /**
     * Answers a login, whose name and password are parameters or fields of a JSON body.
     *
     * @param refused the text for a wrong name or password
     * @throws ParameterException when one of them is absent
     */
    public CompletionStage<HttpResponse> login(HttpRequest request, String refused) {
        if (!policy.isEnabled()) {
            String username = JsonFields.text(request, "username");
            return done(HttpResponse.status(200)
                    .contentType(HttpResponse.JSON)
                    .body(body(NO_TOKEN, NO_TOKEN_TTL_SECONDS, true, username == null ? "" : username, false)));
        }
        String username = credential(request, "username");
        String password = credential(request, "password");
        String address = RequestCaller.of(request).address();
        return authenticator.login(username, password, address).thenApply(login -> {
            if (login instanceof Authenticator.LoggedIn in) {
                int seconds = (int) in.timeToLive().toSeconds();
                boolean admin = in.principal().isAdmin();
                return HttpResponse.status(200)
                        .header("Authorization", "Bearer " + in.token())
                        .contentType(HttpResponse.JSON)
                        .body(body(in.token(), seconds, admin, username, in.mustChangePassword()));
            }
            if (login instanceof Authenticator.MustWait wait) {
                long seconds = Math.max(1, (wait.pause().toMillis() + 999) / 1000);
                return HttpResponse.status(429)
                        .header("Retry-After", Long.toString(seconds))
                        .contentType(HttpResponse.TEXT)
                        .body(("too many failed logins; try again in " + seconds + " s")
                                .getBytes(StandardCharsets.UTF_8));
            }
            return HttpResponse.of(403, HttpResponse.TEXT, refused);
        });
    }

    private static String credential(HttpRequest request, String name) {
        String value = JsonFields.text(request, name);
        if (value == null) {
            throw ParameterException.missing(name);
        }
        return value;
    }

    private byte[] body(String token, int seconds, boolean admin, String username, boolean mustChange) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("accessToken", token);
        body.put("tokenTtl", seconds);
        body.put("globalAdmin", admin);
        body.put("username", username);
        if (mustChange) {
            body.put("mustChangePassword", true);
        }
        return json.writeValueAsBytes(body);
    }

    /** Remembers what is no change of the store; a failure to do so is logged, for it is done already. */
    public void record(HttpRequest request, String action, String target, @Nullable String detail) {
        audit.append(AuditRecord.of(RequestCaller.of(request), action, target).withDetail(detail))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        log.warn("{} of {} could not be recorded: {}", action, target, failure.getMessage());
                    }
                });
    }

    /** Creates a user. */
    public CompletionStage<String> createUser(HttpRequest request) {
        requireOn();
        String username = required(request, "username");
        return service.createUser(username, required(request, "password"), false, RequestCaller.of(request))
                .thenApply(outcome -> {
                    if (outcome == Outcome.EXISTS) {
                        throw bad("user '" + username + "' already exist!");
                    }
                    return "create user ok!";
                });
    }

    /** Changes a password, one's own or another's. */
    public CompletionStage<String> setPassword(HttpRequest request) {
        requireOn();
        String username = required(request, "username");
        boolean first = service.accounts().mustChangePassword(username);
        return service.setPassword(username, required(request, "newPassword"), RequestCaller.of(request))
                .thenApplyAsync(
                        outcome -> {
                            if (outcome == Outcome.ABSENT) {
                                throw bad("user " + username + " not exist!");
                            }
                            if (first && !service.accounts().mustChangePassword(username)) {
                                secrets.forgetPassword();
                            }
                            return "update user ok!";
                        },
                        pool);
    }

    public CompletionStage<String> deleteUser(HttpRequest request) {
        requireOn();
        return service.deleteUser(required(request, "username"), RequestCaller.of(request))
                .thenApply(outcome -> "delete user ok!");
    }

    /** Users, narrowed by {@code username}. */
    public Map<String, Object> users(HttpRequest request) {
        requireOn();
        List<User> found = service.accounts().rows().users().stream()
                .filter(user -> AccountLists.matches(request, "username", user.name()))
                .toList();
        // Nacos hands out the hashes too; nobody needs them.
        return AccountLists.page(found, request, user -> row("username", user.name(), "password", "******"));
    }

    /** Names of users that begin with {@code username}. */
    public List<String> userNames(HttpRequest request) {
        requireOn();
        String start = required(request, "username");
        return service.accounts().rows().users().stream()
                .map(User::name)
                .filter(name -> name.startsWith(start))
                .toList();
    }

    public CompletionStage<String> grantRole(HttpRequest request) {
        requireOn();
        return service.grantRole(required(request, "role"), required(request, "username"), RequestCaller.of(request))
                .thenApply(outcome -> "add role ok!");
    }

    public CompletionStage<String> revokeRole(HttpRequest request) {
        requireOn();
        String username = request.parameter("username");
        String whose = username == null || username.isBlank() ? null : username;
        return service.revokeRole(required(request, "role"), whose, RequestCaller.of(request))
                .thenApply(outcome -> "delete role of user " + (whose == null ? "" : whose) + " ok!");
    }

    public Map<String, Object> roles(HttpRequest request) {
        requireOn();
        List<Role> found = service.accounts().rows().roles().stream()
                .filter(role -> AccountLists.matches(request, "role", role.role())
                        && AccountLists.matches(request, "username", role.username()))
                .toList();
        return AccountLists.page(found, request, role -> row("role", role.role(), "username", role.username()));
    }

    public List<String> roleNames(HttpRequest request) {
        requireOn();
        String start = required(request, "role");
        return service.accounts().rows().roles().stream()
                .map(Role::role)
                .filter(name -> name.startsWith(start))
                .distinct()
                .toList();
    }

    public CompletionStage<String> addPermission(HttpRequest request) {
        requireOn();
        return service.addPermission(
                        required(request, "role"),
                        required(request, "resource"),
                        required(request, "action"),
                        RequestCaller.of(request))
                .thenApply(outcome -> "add permission ok!");
    }

    public CompletionStage<String> removePermission(HttpRequest request) {
        requireOn();
        return service.removePermission(
                        required(request, "role"),
                        required(request, "resource"),
                        required(request, "action"),
                        RequestCaller.of(request))
                .thenApply(outcome -> "delete permission ok!");
    }

    public Map<String, Object> permissions(HttpRequest request) {
        requireOn();
        List<PermissionRow> found = service.accounts().rows().permissions().stream()
                .filter(row -> AccountLists.matches(request, "role", row.role()))
                .toList();
        return AccountLists.page(found, request, row -> {
            Map<String, Object> fields = row("role", row.role(), "resource", row.resource());
            fields.put("action", row.action());
            return fields;
        });
    }

    /** Whether there is that permission already. */
    public boolean hasPermission(HttpRequest request) {
        requireOn();
        return service.accounts()
                .rows()
                .permissions()
                .contains(new PermissionRow(
                        required(request, "role"), required(request, "resource"), required(request, "action")));
    }

    private static Map<String, Object> row(String first, Object firstValue, String second, Object secondValue) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put(first, firstValue);
        row.put(second, secondValue);
        return row;
    }

    private static CairnException bad(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }

    private static CompletionStage<HttpResponse> done(HttpResponse response) {
        return CompletableFuture.completedFuture(response);
    }

    /** An answer with JSON. */
    public HttpResponse json(int status, Object body) {
        return HttpResponse.status(status).contentType(HttpResponse.JSON).body(json.writeValueAsBytes(body));
    }

    /** A line of JSON for each. */
    byte[] lines(List<Map<String, Object>> rows) {
        StringBuilder lines = new StringBuilder();
        rows.forEach(row -> lines.append(json.writeValueAsString(row)).append('\n'));
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** An object of that envelope. */
    public HttpResponse enveloped(int code, @Nullable String message, @Nullable Object data) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("code", code);
        body.put("message", message);
        body.put("data", data);
        return json(200, body);
    }

    static Duration seconds(HttpRequest request, String name) {
        return Duration.ofSeconds(AccountLists.number(request, name, 0));
    }
}
