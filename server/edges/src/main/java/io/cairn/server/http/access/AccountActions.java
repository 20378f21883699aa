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
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.SecretFolder;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actions on users, roles and permissions, without the wrapping of an API version. A server without authentication
 * {@linkplain #refusalWhenOff refuses} all of them: a planted account would apply as soon as authentication is turned on.
 */
public final class AccountActions {

    private static final Parameter<String> USERNAME_START =
            Parameter.text("username", "The beginning of the names").orElse("");
    private static final Parameter<String> ROLE_START =
            Parameter.text("role", "The beginning of the names").orElse("");

    static final Operation<HttpRequest> LOGIN = Operation.of(
                    AccountParameters.USERNAME.required(), AccountParameters.PASSWORD.required())
            .needs(Right.open())
            .answers(Login.class)
            .as(Operation.Wrapping.BARE)
            .says("Returns a token for a user name and a password");
    static final Operation<HttpRequest> FIRST_ADMIN = Operation.of(Parameter.ignored("password", "string"))
            .needs(Right.open())
            .answers("null")
            .says("Creates the first administrator");
    static final Operation<NewUser> CREATE_USER =
            Operation.of(NewUser.FORM).needs(Right.admin()).answers("string").says("Creates a user");
    static final Operation<NewPassword> SET_PASSWORD = Operation.of(NewPassword.FORM)
            .needs(Right.of((policy, who, request) -> policy.checkSelf(who, request.username())))
            .answers("string")
            .says("Sets a password; a user's own needs the present one");
    static final Operation<OwnPassword> OWN_PASSWORD = Operation.of(OwnPassword.FORM)
            .needs(Right.known())
            .answers("string")
            .says("Sets the password of the sender, which sends its present one");
    static final Operation<String> DELETE_USER = Operation.of(
                    Form.of(AccountParameters.USERNAME.required()).as(AccountParameters.USERNAME::of))
            .needs(Right.admin())
            .answers("string")
            .says("Deletes a user");
    static final Operation<AccountQuery> USERS = Operation.of(AccountQuery.USERS)
            .needs(Right.admin())
            .answers(Answer.pageOf(UserEntry.class))
            .says("Lists users");
    static final Operation<String> USER_NAMES = Operation.of(
                    Form.of(USERNAME_START).as(USERNAME_START::of))
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .says("Lists the names of users that begin with a text, or of all");
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
    static final Operation<String> ROLE_NAMES = Operation.of(Form.of(ROLE_START).as(ROLE_START::of))
            .needs(Right.admin())
            .answers(Answer.listOf("string"))
            .says("Lists the names of roles that begin with a text, or of all");
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
                    AccountQuery.PERMISSIONS.as(Function.identity()))
            .needs(Right.admin())
            .answers("object")
            .says("Lists rights, or shows whether a right exists");

    private static final String NO_TOKEN = "AUTH_DISABLED";
    /** Short, so that clients with a password log in soon after logins were switched on. */
    private static final int NO_TOKEN_TTL_SECONDS = 300;

    private static final Logger log = LoggerFactory.getLogger(AccountActions.class);

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final AccountService service;
    private final AuditStore audit;
    private final SecretFolder secrets;
    private final Executor pool;
    private final boolean ownNeedsPresent;

    /**
     * @param pool deletes the file with the first password
     * @param ownNeedsPresent whether users need their present password to set another
     */
    public AccountActions(
            AccessPolicy policy,
            Authenticator authenticator,
            AccountService service,
            AuditStore audit,
            SecretFolder secrets,
            Executor pool,
            boolean ownNeedsPresent) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.service = service;
        this.audit = audit;
        this.secrets = secrets;
        this.pool = pool;
        this.ownNeedsPresent = ownNeedsPresent;
    }

    /** A request to create a user. */
    record NewUser(String username, String password) {

        static final Form<NewUser> FORM = Form.of(
                        AccountParameters.USERNAME.required(), AccountParameters.PASSWORD.required())
                .as(request ->
                        new NewUser(AccountParameters.USERNAME.of(request), AccountParameters.PASSWORD.of(request)));
    }

    /** A request to set a password, the caller's own or another's. The action refuses an absent new password. */
    record NewPassword(
            String username,
            @Nullable String password,
            @Nullable String oldPassword) {

        static final Form<NewPassword> FORM = Form.of(
                        AccountParameters.USERNAME.required(),
                        AccountParameters.NEW_PASSWORD.required(),
                        AccountParameters.OLD_PASSWORD)
                .as(request -> new NewPassword(
                        AccountParameters.USERNAME.of(request),
                        AccountParameters.NEW_PASSWORD.orNull(request),
                        AccountParameters.OLD_PASSWORD.orNull(request)));
    }

    /** A request of a user to set its own password. The action refuses absent parts. */
    record OwnPassword(@Nullable String present, @Nullable String wanted) {

        static final Form<OwnPassword> FORM = Form.of(
                        AccountParameters.OLD_PASSWORD.required(), AccountParameters.NEW_PASSWORD.required())
                .as(request -> new OwnPassword(
                        AccountParameters.OLD_PASSWORD.orNull(request),
                        AccountParameters.NEW_PASSWORD.orNull(request)));
    }

    /** @param username null for all users of the role */
    record RoleOfUser(String role, @Nullable String username) {

        private static final Parameter<String> IF_ONE =
                Parameter.text("username", "The user; all users of the role when absent");

        static final Form<RoleOfUser> GRANT = Form.of(
                        AccountParameters.ROLE.required(), AccountParameters.USERNAME.required())
                .as(request ->
                        new RoleOfUser(AccountParameters.ROLE.of(request), AccountParameters.USERNAME.of(request)));
        static final Form<RoleOfUser> REVOKE = Form.of(AccountParameters.ROLE.required(), IF_ONE)
                .as(request -> new RoleOfUser(AccountParameters.ROLE.of(request), IF_ONE.orNull(request)));
    }

    record Login(
            String accessToken,
            int tokenTtl,
            boolean globalAdmin,
            String username,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean mustChangePassword) {}

    /** @param password stars: Nacos shows the hashes, which no caller needs */
    record UserEntry(String username, String password) {}

    record RoleEntry(String role, String username) {}

    public record PermissionEntry(String role, String resource, String action) {

        static final Form<PermissionEntry> FORM = Form.of(
                        AccountParameters.ROLE, AccountParameters.RESOURCE, AccountParameters.ACTION)
                .as(PermissionEntry::read);

        public static PermissionEntry read(HttpRequest request) {
            return new PermissionEntry(
                    AccountParameters.ROLE.of(request),
                    AccountParameters.RESOURCE.of(request),
                    AccountParameters.ACTION.of(request));
        }

        static PermissionEntry of(PermissionRow row) {
            return new PermissionEntry(row.role(), row.resource(), row.action());
        }
    }

    public AccountService service() {
        return service;
    }

    /**
     * Refuses a request before it is read.
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
     * Answers a login with name and password as parameters or fields of a JSON body.
     *
     * @param refused the text for a wrong name or password
     * @throws ParameterException for an absent one
     */
    public CompletionStage<HttpResponse> login(HttpRequest http, String refused) {
        if (!policy.isEnabled()) {
            String username = JsonFields.text(http, AccountParameters.USERNAME);
            return CompletableFuture.completedFuture(
                    json(new Login(NO_TOKEN, NO_TOKEN_TTL_SECONDS, true, username == null ? "" : username, false)));
        }
        String username = AccountParameters.USERNAME.require(JsonFields.text(http, AccountParameters.USERNAME));
        String password = AccountParameters.PASSWORD.require(JsonFields.text(http, AccountParameters.PASSWORD));
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
                return HttpResponse.status(429)
                        .header("Retry-After", Long.toString(seconds(wait)))
                        .contentType(HttpResponse.TEXT)
                        .body(mustWait(wait).getBytes(StandardCharsets.UTF_8));
            }
            return HttpResponse.of(403, HttpResponse.TEXT, refused);
        });
    }

    /** Records an action outside the store; only logs a failure, because the action is done. */
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
        String password = AccountParameters.NEW_PASSWORD.require(request.password);
        Caller by = RequestCaller.of(http);
        return confirmed(request, by).thenCompose(confirmed -> storePassword(username, password, by));
    }

    private CompletionStage<String> storePassword(String username, String password, Caller by) {
        boolean first = service.accounts().mustChangePassword(username);
        return service.setPassword(username, password, by)
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

    /**
     * Completes if the caller may set that password: of another user, or its own with the present one. An open session or a copied
     * token alone must not take over the account.
     */
    private CompletionStage<?> confirmed(NewPassword request, Caller by) {
        String username = request.username;
        if (!ownNeedsPresent || !by.principal().isUser(username)) {
            return CompletableFuture.completedFuture(null);
        }
        String present = request.oldPassword;
        if (present == null || present.isEmpty()) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "oldPassword: absent (expected: the present password of '" + username
                            + "', which changes its own)");
        }
        return isPresentPassword(username, present, by).thenAccept(isPresent -> {
            if (!isPresent) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER,
                        "oldPassword: not the present password of '" + username + "'; the password was not changed");
            }
        });
    }

    private CompletionStage<Boolean> isPresentPassword(String username, String password, Caller by) {
        return authenticator.confirm(username, password, by.address()).thenApply(login -> {
            if (login instanceof Authenticator.MustWait wait) {
                throw new CairnException(ErrorCode.BUSY, mustWait(wait));
            }
            return login instanceof Authenticator.LoggedIn;
        });
    }

    private static String mustWait(Authenticator.MustWait wait) {
        return "too many failed logins; try again in " + seconds(wait) + " s";
    }

    private static long seconds(Authenticator.MustWait wait) {
        return Math.max(1, (wait.pause().toMillis() + 999) / 1000);
    }

    /** Sets the sender's password if the present one is right; else completes with false. */
    CompletionStage<Boolean> setOwnPassword(OwnPassword request, HttpRequest http) {
        String present = AccountParameters.OLD_PASSWORD.require(request.present);
        String wanted = AccountParameters.NEW_PASSWORD.require(request.wanted);
        Caller caller = RequestCaller.of(http);
        String username = caller.principal().name();
        if (caller.principal().kind() != Principal.Kind.USER) {
            throw bad("a token or a certificate has no password (expected: a request of a user that has logged in)");
        }
        return isPresentPassword(username, present, caller)
                .thenCompose(isPresent -> isPresent
                        ? storePassword(username, wanted, caller).thenApply(done -> true)
                        : CompletableFuture.completedFuture(false));
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

    List<String> userNames(String start) {
        return service.accounts().rows().users().stream()
                .map(AccountRows.User::name)
                .filter(name -> name.startsWith(start))
                .toList();
    }

    CompletionStage<String> grantRole(RoleOfUser request, HttpRequest http) {
        String username = AccountParameters.USERNAME.require(request.username);
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

    public boolean hasPermission(PermissionEntry asked) {
        return service.accounts()
                .rows()
                .permissions()
                .contains(new PermissionRow(asked.role, asked.resource, asked.action));
    }

    private static CairnException bad(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }

    public static byte[] bytes(Object body) {
        return JsonBody.of(body);
    }

    public static HttpResponse json(Object body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(JsonText.of(body));
    }

    public static HttpResponse enveloped(int code, @Nullable String message, @Nullable Object data) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(JsonBody.enveloped(code, message, data));
    }
}
