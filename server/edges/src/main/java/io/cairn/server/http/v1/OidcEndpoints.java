package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.IssuerLogin;
import io.cairn.server.auth.Principal;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.access.AccountActions;
import io.cairn.server.http.access.AccountErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.netty.handler.codec.http.cookie.CookieHeaderNames.SameSite;
import io.netty.handler.codec.http.cookie.DefaultCookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.netty.handler.codec.http.cookie.ServerCookieEncoder;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code /v1/auth/oidc}: the login of people at an issuer, at the paths of Nacos. */
public final class OidcEndpoints {

    private static final String PATH = "/v1/auth/oidc";

    private static final Parameter<String> VIEW =
            Parameter.text("view", "The view of the console after the login, below ui/");
    private static final Parameter<String> ANSWERED_CODE = Parameter.text("code", "The code of the issuer");
    private static final Parameter<String> STATE = Parameter.text("state", "The state that the login began with");
    private static final Parameter<String> ERROR = Parameter.text("error", "Why the issuer refuses");
    private static final Parameter<String> ISSUER = Parameter.text("iss", "The issuer that answers");
    private static final Parameter<String> CODE = Parameter.text("code", "The code in the address of the console");
    private static final Parameter<String> ID_TOKEN =
            Parameter.text("idToken", "The issuer's token about the login, if no cookie has it");

    private static final Operation<HttpRequest> CONFIG = Operation.of(new Parameter<?>[0])
            .needs(Right.open())
            .answers(OidcConfig.class)
            .as(Operation.Wrapping.BARE)
            .says("Shows whether people log in at an issuer, and where");
    private static final Operation<HttpRequest> LOGIN = Operation.of(VIEW)
            .needs(Right.open())
            .answers("string")
            .as(Operation.Wrapping.TEXT)
            .says("Sends a browser to the login of the issuer");
    private static final Operation<HttpRequest> CALLBACK = Operation.of(ANSWERED_CODE, STATE, ERROR, ISSUER)
            .needs(Right.open())
            .answers("string")
            .as(Operation.Wrapping.TEXT)
            .says("Takes the answer of the issuer, and sends the browser to the console");
    private static final Operation<HttpRequest> EXCHANGE = Operation.of(CODE.required())
            .needs(Right.open())
            .answers(OidcSession.class)
            .as(Operation.Wrapping.BARE)
            .says("Returns the token of a login at the issuer, to the browser of the login within 60 s");
    private static final Operation<HttpRequest> LOGOUT = Operation.of(ID_TOKEN, Parameter.ignored("redirect", "string"))
            .needs(Right.open())
            .answers("string")
            .as(Operation.Wrapping.TEXT)
            .says("Sends a browser to the logout of the issuer, and back to the console");

    private final IssuerLogin login;
    private final Authenticator authenticator;
    private final Clock clock;
    private final Endpoints endpoints = new Endpoints(new AccountErrors());

    public OidcEndpoints(IssuerLogin login, Authenticator authenticator, Clock clock) {
        this.login = login;
        this.authenticator = authenticator;
        this.clock = clock;
    }

    /**
     * @param userManagementEnabled true: local users stay
     * @param loginUrl null where nobody logs in at an issuer
     */
    record OidcConfig(
            boolean enabled,
            String authType,
            boolean userManagementEnabled,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String loginUrl) {}

    record OidcSession(String accessToken, long tokenTtl, boolean globalAdmin, String username) {}

    public List<HttpRoute> routes() {
        return List.of(
                endpoints.get(PATH + "/config", CONFIG, request -> CompletableFuture.completedFuture(config())),
                endpoints.get(
                        PATH + "/login",
                        LOGIN,
                        request -> CompletableFuture.completedFuture(redirect(login.begin(VIEW.orNull(request))))),
                endpoints.get(PATH + "/callback", CALLBACK, this::finish),
                endpoints.get(
                        PATH + "/exchange", EXCHANGE, request -> CompletableFuture.completedFuture(exchange(request))),
                endpoints.get(
                        PATH + "/logout",
                        LOGOUT,
                        request -> CompletableFuture.completedFuture(
                                redirect(login.logout(ID_TOKEN.orNull(request), cookies(request))))));
    }

    private HttpResponse config() {
        IssuerLogin.Offer offer = login.offer();
        return AccountActions.json(new OidcConfig(
                offer != null, offer == null ? "nacos" : "oidc", true, offer == null ? null : offer.url()));
    }

    private CompletionStage<HttpResponse> finish(HttpRequest request) {
        IssuerLogin.Answer answer = new IssuerLogin.Answer(
                ANSWERED_CODE.orNull(request), STATE.orNull(request), ERROR.orNull(request), ISSUER.orNull(request));
        return login.finish(answer, cookies(request), RequestCaller.of(request).address())
                .thenApply(OidcEndpoints::redirect);
    }

    private HttpResponse exchange(HttpRequest request) {
        IssuerLogin.Exchanged done = login.exchange(CODE.of(request), cookies(request));
        if (done == null || !(authenticator.byToken(done.token()) instanceof Principal who)) {
            return HttpResponse.of(403, HttpResponse.TEXT, "not allowed");
        }
        long seconds = Math.max(0, (done.expiresAtMillis() - clock.millis()) / 1000);
        return with(HttpResponse.status(200), done.cookies())
                .contentType(HttpResponse.JSON)
                .body(AccountActions.bytes(new OidcSession(done.token(), seconds, who.isAdmin(), who.name())));
    }

    private static HttpResponse redirect(IssuerLogin.Reply reply) {
        return with(HttpResponse.status(302).header("Location", reply.location()), reply.cookies())
                .withoutBody();
    }

    private static HttpResponse.Builder with(HttpResponse.Builder response, List<IssuerLogin.Cookie> cookies) {
        // A browser must neither keep these answers nor pass on their addresses.
        response.notCached().header("Referrer-Policy", "no-referrer");
        for (IssuerLogin.Cookie cookie : cookies) {
            DefaultCookie made = new DefaultCookie(cookie.name(), cookie.value());
            made.setPath(cookie.path());
            made.setMaxAge(cookie.seconds());
            made.setHttpOnly(true);
            made.setSecure(cookie.isSecure());
            made.setSameSite(cookie.isStrict() ? SameSite.Strict : SameSite.Lax);
            response.header("Set-Cookie", ServerCookieEncoder.STRICT.encode(made));
        }
        return response;
    }

    private static Function<String, @Nullable String> cookies(HttpRequest request) {
        String header = request.header("Cookie");
        return name -> header == null
                ? null
                : ServerCookieDecoder.STRICT.decode(header).stream()
                        .filter(cookie -> cookie.name().equals(name))
                        .map(io.netty.handler.codec.http.cookie.Cookie::value)
                        .findFirst()
                        .orElse(null);
    }
}
