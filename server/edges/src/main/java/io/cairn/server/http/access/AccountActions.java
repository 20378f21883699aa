package io.cairn.server.http.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.AccountChange.Outcome;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.AccountRows.PermissionRow;
import io.cairn.server.auth.AccountService;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.SecretFolder;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameters;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actions on users, roles and permissions, apart from how the versions of the API wrap them: results are data for their
 * envelopes. A server without authentication {@linkplain #refusalWhenOff refuses} all of it: an account that anybody
 * could plant would be in force as soon as authentication is turned on.
 */
public final class AccountActions {

    static final Operation<HttpRequest> LOGIN = Operation.of("username! password!")
            .needs(Right.open())
            .answers(Login.class)
            .as(Operation.Wrapping.BARE)
            .says("Returns a token for a user name and a password");
    static final Operation<HttpRequest> FIRST_ADMIN =
            Operation.of("password").needs(Right.open()).answers("object").says("Creates the first administrator");
    static final Operation<NewUser> CREATE_USER =
            Operation.of(NewUser.FORM).needs(Right.admin()).answers("string").says("Creates a user");
    static final Operation<NewPassword> SET_PASSWORD = Operation.of(NewPassword.FORM)
            .needs(Right.of((policy, who, request) -> policy.checkSelf(who, request.username())))
            .answers("string")
            .says("Sets a password");
    static final Operation<String> DELETE_USER = Operation.of(
                    Form.of("username!", request -> Parameters.present(request, "username")))
            .needs(Right.admin())
            .answers("string")
            .says("Deletes a user");
    static final Operation<AccountQuery> USERS = Operation.of(AccountQuery.USERS)
            .needs(Right.admin())
            .answers(Answer.pageOf(UserEntry.class))
            .says("Lists users");
    static final Operation<String> USER_NAMES = Operation.of(
                    Form.of("username", request -> Parameters.present(request, "username")))
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .says("Lists the names of users");
    static final Operation<RoleOfUser> GRANT_ROLE = Operation.of(RoleOfUser.GRANT)
            .needs(Right.admin())
            .answers("string")
            .says("Adds a role to a user");
    static final Operation<RoleOfUser> REVOKE_ROLE = Operation.of(RoleOfUser.REVOKE)
            .needs(Right.admin())
            .answers("string")
            .says("Removes a role from a user, or deletes the role");
    static final Operation<AccountQuery> ROLES = Operation.of(AccountQuery.ROLES)
            .needs(Right.admin())
            .answers(Answer.pageOf(RoleEntry.class))
            .says("Lists roles and their users");
    static final Operation<String> ROLE_NAMES = Operation.of(
                    Form.of("role", request -> Parameters.present(request, "role")))
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .says("Lists the names of roles");
    static final Operation<PermissionEntry> ADD_PERMISSION = Operation.of(PermissionEntry.FORM)
            .needs(Right.admin())
            .answers("string")
            .says("Adds a permission to a role");
    static final Operation<PermissionEntry> REMOVE_PERMISSION = Operation.of(PermissionEntry.FORM)
            .needs(Right.admin())
            .answers("string")
            .says("Removes a permission from a role");
    public static final Operation<AccountQuery> PERMISSIONS = Operation.of(AccountQuery.PERMISSIONS)
            .needs(Right.admin())
            .answers(Answer.pageOf(PermissionEntry.class))
            .says("Lists rights");
    public static final Operation<HttpRequest> PERMISSIONS_OR_ONE = Operation.of(
                    Form.of("search pageNo:integer pageSize:integer accurate:boolean role resource action"))
            .needs(Right.admin())
            .answers("object")
            .says("Lists rights, or shows whether a right exists");

    private static final String NO_TOKEN = "AUTH_DISABLED";
    private static final int NO_TOKEN_TTL_SECONDS = 18_000;
    private static final Logger log = LoggerFactory.getLogger(AccountActions.class);

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final AccountService service;
    private final AuditStore audit;
    private final SecretFolder secrets;
    private final Executor pool;

    /** @param pool for deleting the file with the first password */
    public AccountActions(
            AccessPolicy policy,
            Authenticator authenticator,
            AccountService service,
            AuditStore audit,
            SecretFolder secrets,
            Executor pool) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.service = service;
        this.audit = audit;
        this.secrets = secrets;
        this.pool = pool;
    }

    /** A request to create a user. */
    record NewUser(String username, String password) {

        static final Form<NewUser> FORM = Form.of(
                "username! password!",
                request ->
                        new NewUser(Parameters.present(request, "username"), Parameters.present(request, "password")));
    }

    /** A request to set a password, the caller's own or another's; one without a new password is for the action to refuse. */
    record NewPassword(String username, @Nullable String password) {

        static final Form<NewPassword> FORM = Form.of(
                "username! newPassword! oldPassword",
                request -> new NewPassword(Parameters.present(request, "username"), request.parameter("newPassword")));
    }

    /** @param username null for all users of the role */
    record RoleOfUser(String role, @Nullable String username) {

        static final Form<RoleOfUser> GRANT = Form.of(
                "role! username!",
                request ->
                        new RoleOfUser(Parameters.present(request, "role"), Parameters.present(request, "username")));
        static final Form<RoleOfUser> REVOKE = Form.of(
                "role! username",
                request -> new RoleOfUser(Parameters.present(request, "role"), Parameters.text(request, "username")));
    }

    /** A successful login. */
    record Login(
            String accessToken,
            int tokenTtl,
            boolean globalAdmin,
            String username,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean mustChangePassword) {}

    /** @param password stars: Nacos shows the hashes, which no caller needs */
    record UserEntry(String username, String password) {}

    record RoleEntry(String role, String username) {}

    /** A right of a role, in lists and in requests. */
    public record PermissionEntry(String role, String resource, String action) {

        static final Form<PermissionEntry> FORM = Form.of("role resource action", PermissionEntry::read);

        public static PermissionEntry read(HttpRequest request) {
            return new PermissionEntry(
                    Parameters.present(request, "role"),
                    Parameters.present(request, "resource"),
                    Parameters.present(request, "action"));
        }

        static PermissionEntry of(PermissionRow row) {
            return new PermissionEntry(row.role(), row.resource(), row.action());
        }
    }

    /** The accounts and how they are changed. */
    public AccountService service() {
        return service;
    }

    /**
     * Refuses a request that needs accounts. It is asked before the request is read.
     *
     * @return null with authentication
     * @throws CairnException {@code UNSUPPORTED} without authentication
     */
    public @Nullable CompletionStage<HttpResponse> refusalWhenOff(HttpRequest http) {
        if (!policy.isEnabled()) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "authentication is off, so there are no users and permissions (expected:"
                            + " nacos.core.auth.enabled=true)");
        }
        return null;
    }

    /**
     * Answers a login, whose name and password are parameters or fields of a JSON body.
     *
     * @param refused the text for a wrong name or password
     * @throws ParameterException when one of them is absent
     */
    public CompletionStage<HttpResponse> login(HttpRequest http, String refused) {
        if (!policy.isEnabled()) {
            String username = JsonFields.text(http, "username");
            return CompletableFuture.completedFuture(
                    json(new Login(NO_TOKEN, NO_TOKEN_TTL_SECONDS, true, username == null ? "" : username, false)));
        }
        String username = Parameters.present("username", JsonFields.text(http, "username"));
        String password = Parameters.present("password", JsonFields.text(http, "password"));
        String address = RequestCaller.of(http).address();
        return authenticator.login(username, password, address).thenApply(login -> {
            if (login instanceof Authenticator.LoggedIn in) {
                int seconds = (int) in.timeToLive().toSeconds();
                boolean admin = in.principal().isAdmin();
                return HttpResponse.status(200)
                        .header("Authorization", "Bearer " + in.token())
                        .contentType(HttpResponse.JSON)
                        .body(JsonBody.of(new Login(in.token(), seconds, admin, username, in.mustChangePassword())));
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

    /** Records what is not a change of the store; a failure to do so is logged, because it is done already. */
    public void record(HttpRequest request, String action, String target, @Nullable String detail) {
        audit.append(AuditRecord.of(RequestCaller.of(request), action, target).withDetail(detail))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        log.warn("{} of {} could not be recorded: {}", action, target, failure.getMessage());
                    }
                });
    }

    CompletionStage<String> createUser(NewUser request, HttpRequest http) {
        return service.createUser(request.username, request.password, false, RequestCaller.of(http))
                .thenApply(outcome -> {
                    if (outcome == Outcome.EXISTS) {
                        throw bad("user '" + request.username + "' already exist!");
                    }
                    return "create user ok!";
                });
    }

    CompletionStage<String> setPassword(NewPassword request, HttpRequest http) {
        String username = request.username;
        boolean first = service.accounts().mustChangePassword(username);
        return service.setPassword(
                        username, Parameters.present("newPassword", request.password), RequestCaller.of(http))
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

    CompletionStage<String> deleteUser(String username, HttpRequest http) {
        return service.deleteUser(username, RequestCaller.of(http)).thenApply(outcome -> "delete user ok!");
    }

    PageBody<UserEntry> users(AccountQuery query) {
        List<AccountRows.User> found = service.accounts().rows().users().stream()
                .filter(user -> query.hasUser(user.name()))
                .toList();
        return query.cut(found, user -> new UserEntry(user.name(), "******"));
    }

    /** Names of users that begin with a text. */
    List<String> userNames(String start) {
        return service.accounts().rows().users().stream()
                .map(AccountRows.User::name)
                .filter(name -> name.startsWith(start))
                .toList();
    }

    CompletionStage<String> grantRole(RoleOfUser request, HttpRequest http) {
        String username = Parameters.present("username", request.username);
        return service.grantRole(request.role, username, RequestCaller.of(http)).thenApply(outcome -> "add role ok!");
    }

    CompletionStage<String> revokeRole(RoleOfUser request, HttpRequest http) {
        String username = request.username;
        return service.revokeRole(request.role, username, RequestCaller.of(http))
                .thenApply(outcome -> "delete role of user " + (username == null ? "" : username) + " ok!");
    }

    PageBody<RoleEntry> roles(AccountQuery query) {
        List<AccountRows.Role> found = service.accounts().rows().roles().stream()
                .filter(role -> query.hasRole(role.role()) && query.hasUser(role.username()))
                .toList();
        return query.cut(found, role -> new RoleEntry(role.role(), role.username()));
    }

    /** Names of roles that begin with a text. */
    List<String> roleNames(String start) {
        return service.accounts().rows().roles().stream()
                .map(AccountRows.Role::role)
                .filter(name -> name.startsWith(start))
                .distinct()
                .toList();
    }

    CompletionStage<String> addPermission(PermissionEntry request, HttpRequest http) {
        return service.addPermission(request.role, request.resource, request.action, RequestCaller.of(http))
                .thenApply(outcome -> "add permission ok!");
    }

    CompletionStage<String> removePermission(PermissionEntry request, HttpRequest http) {
        return service.removePermission(request.role, request.resource, request.action, RequestCaller.of(http))
                .thenApply(outcome -> "delete permission ok!");
    }

    public PageBody<PermissionEntry> permissions(AccountQuery query) {
        List<PermissionRow> found = service.accounts().rows().permissions().stream()
                .filter(row -> query.hasRole(row.role()))
                .toList();
        return query.cut(found, PermissionEntry::of);
    }

    /** Whether there is that permission already. */
    public boolean hasPermission(PermissionEntry asked) {
        return service.accounts()
                .rows()
                .permissions()
                .contains(new PermissionRow(asked.role, asked.resource, asked.action));
    }

    private static CairnException bad(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }

    /** An answer with JSON. */
    public static HttpResponse json(Object body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(JsonBody.of(body));
    }

    /** An answer with data in the envelope of accounts. */
    public static HttpResponse enveloped(int code, @Nullable String message, @Nullable Object data) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(JsonBody.enveloped(code, message, data));
    }
}
