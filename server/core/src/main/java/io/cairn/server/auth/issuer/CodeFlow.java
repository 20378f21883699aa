package io.cairn.server.auth.issuer;

import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.IssuerIdentity;
import io.cairn.server.auth.IssuerLogin;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.SigningKeys;
import io.cairn.server.limit.LogLines;
import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs people in by the authorization code flow of OpenID Connect, with PKCE, state and nonce. State, nonce and the verifier of PKCE
 * are in a sealed cookie of the browser. Thread-safe; never blocks.
 */
public final class CodeFlow implements IssuerLogin {

    private static final Logger log = LoggerFactory.getLogger(CodeFlow.class);

    private static final String PATH = "/v1/auth/oidc";
    /** The time to log in at the issuer. */
    private static final Duration TO_LOG_IN = Duration.ofMinutes(10);

    private static final Duration TO_EXCHANGE = Duration.ofSeconds(60);
    /** Of a browser that logs out after its session has ended. */
    private static final Duration TO_LOG_OUT = Duration.ofHours(12);

    private static final String FLOW = "cairn-login";
    private static final String DONE = "cairn-login-done";
    private static final String HINT = "cairn-logout";
    /** A view of the console with its query, without a step upwards. */
    private static final Pattern VIEW =
            Pattern.compile("(?!.*(\\.\\.|//|%2[eE]))[A-Za-z0-9._~=&?/:+*%,;@!$'()-]{0,1000}");

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final int MAX_SHOWN = 200;
    /** Any browser can cause a line and a record of the audit. */
    private static final int LINES_A_MINUTE = 30;

    private final OidcIssuer issuer;
    private final LoginSettings settings;
    private final Authenticator authenticator;
    private final CookieSeal seal;
    private final Clock clock;
    private final Counter failed;
    private final LogLines lines;
    private final SecureRandom random = new SecureRandom();

    /** @param keys the present keys of the cluster */
    public CodeFlow(
            OidcIssuer issuer,
            LoginSettings settings,
            Authenticator authenticator,
            Supplier<SigningKeys> keys,
            Clock clock,
            MeterRegistry meters) {
        this.issuer = issuer;
        this.settings = settings;
        this.authenticator = authenticator;
        this.seal = new CookieSeal(keys, clock);
        this.clock = clock;
        this.lines = new LogLines(LINES_A_MINUTE, clock);
        this.failed = Counter.builder(MeterNames.LOGINS_FAILED)
                .tag("reason", "issuer")
                .register(meters);
    }

    /** A login that does not succeed; the browser learns only whether it may help to try again. */
    private static final class Failure extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final boolean isTemporary;
        /** Of the person, if the issuer has signed it; else empty. */
        private final String name;

        Failure(String reason, boolean isTemporary) {
            this(reason, isTemporary, "");
        }

        private Failure(String reason, boolean isTemporary, String name) {
            super(reason, null, false, false);
            this.isTemporary = isTemporary;
            this.name = name;
        }

        static Failure of(IssuerTokens.Refused refused) {
            return new Failure(
                    "the id_token was refused: " + refused.reason(),
                    false,
                    refused.name() == null ? "" : refused.name());
        }
    }

    /** A login that is under way. */
    private record Flow(String state, String nonce, String verifier, String view) {

        Map<String, String> texts() {
            return Map.of("state", state, "nonce", nonce, "verifier", verifier, "view", view);
        }

        static Flow of(Map<String, Object> sealed) {
            return new Flow(
                    text(sealed, "state"), text(sealed, "nonce"), text(sealed, "verifier"), text(sealed, "view"));
        }
    }

    private static String text(Map<String, Object> members, String name) {
        return members.get(name) instanceof String text ? text : "";
    }

    @Override
    public Offer offer() {
        return new Offer(settings.label(), settings.publicUrl() + PATH + "/login");
    }

    private String callback() {
        return settings.publicUrl() + PATH + "/callback";
    }

    @Override
    public Reply begin(@Nullable String view) {
        String wanted = view != null && VIEW.matcher(view).matches() ? view : "";
        KeyFetch.Description description = issuer.description();
        if (description == null) {
            issuer.askAgain();
            return failed(wanted, new Failure(notReached(), true), null);
        }
        Flow flow = new Flow(drawn(), drawn(), drawn(), wanted);
        Map<String, String> query = new LinkedHashMap<>();
        query.put("response_type", "code");
        query.put("client_id", settings.clientId());
        query.put("redirect_uri", callback());
        query.put("scope", settings.scopes().stream().sorted().collect(Collectors.joining(" ")));
        query.put("state", flow.state);
        query.put("nonce", flow.nonce);
        query.put("code_challenge", challenge(flow.verifier));
        query.put("code_challenge_method", "S256");
        try {
            String sealed = seal.seal(FLOW, flow.texts(), TO_LOG_IN);
            return sealed == null
                    ? begin(null)
                    : new Reply(
                            with(description.url("authorization_endpoint").toString(), query),
                            List.of(cookie(FLOW, sealed, TO_LOG_IN)));
        } catch (IllegalArgumentException e) {
            return failed(wanted, new Failure(String.valueOf(e.getMessage()), false), null);
        }
    }

    private String notReached() {
        return "the issuer " + issuer.name() + " has not been reached";
    }

    private String drawn() {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return Base64URL.encode(bytes).toString();
    }

    private static String challenge(String verifier) {
        try {
            return Base64URL.encode(
                            MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)))
                    .toString();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String with(String url, Map<String, String> query) {
        return url + (url.contains("?") ? '&' : '?') + encoded(query);
    }

    private static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(each -> each.getKey() + '=' + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public CompletionStage<Reply> finish(Answer answer, Function<String, @Nullable String> cookies, String address) {
        Map<String, Object> sealed = seal.open(FLOW, cookies.apply(name(FLOW)));
        Flow flow = sealed == null ? null : Flow.of(sealed);
        String state = answer.state();
        if (flow == null || state == null || !isSame(flow.state, state)) {
            // The login that this browser may have under way goes on.
            return CompletableFuture.completedFuture(failed(
                    "",
                    new Failure(
                            "the state of the answer is not that of a login of this browser of the last "
                                    + TO_LOG_IN.toMinutes() + " minutes",
                            false),
                    address));
        }
        try {
            return exchangeCode(flow, answer)
                    .thenCompose(tokens -> loggedIn(flow, tokens, address))
                    .exceptionally(failure -> failed(flow.view, failureOf(failure), address))
                    .thenApply(this::ended);
        } catch (Failure e) {
            return CompletableFuture.completedFuture(ended(failed(flow.view, e, address)));
        }
    }

    /** A login is finished once; its cookie goes. */
    private Reply ended(Reply reply) {
        List<Cookie> cookies = new ArrayList<>(reply.cookies());
        cookies.add(cookie(FLOW, "", Duration.ZERO));
        return new Reply(reply.location(), cookies);
    }

    private static boolean isSame(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private static Failure failureOf(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof Failure known) {
            return known;
        }
        if (!(cause instanceof IOException)) {
            log.error("A login at the issuer failed inside the server", cause);
        }
        return new Failure(String.valueOf(cause.getMessage()), true);
    }

    private CompletionStage<Map<String, Object>> exchangeCode(Flow flow, Answer answer) {
        if (answer.error() != null) {
            throw new Failure("the issuer answered '" + shown(answer.error()) + '\'', false);
        }
        if (answer.issuer() != null && !answer.issuer().equals(issuer.name())) {
            throw new Failure("the answer is of the issuer '" + shown(answer.issuer()) + '\'', false);
        }
        String code = answer.code();
        KeyFetch.Description description = issuer.description();
        if (code == null || code.isEmpty()) {
            throw new Failure("the answer has no code", false);
        }
        if (description == null) {
            issuer.askAgain();
            throw new Failure(notReached(), true);
        }
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", callback());
        form.put("code_verifier", flow.verifier);
        String secret = settings.clientSecret();
        boolean inForm = description.lists("token_endpoint_auth_methods_supported", "client_secret_post")
                && !description.lists("token_endpoint_auth_methods_supported", "client_secret_basic");
        if (secret == null || inForm) {
            form.put("client_id", settings.clientId());
        }
        if (secret != null && inForm) {
            form.put("client_secret", secret);
        }
        try {
            return issuer.http()
                    .post(
                            description.url("token_endpoint"),
                            encoded(form),
                            secret == null || inForm ? null : basic(settings.clientId(), secret))
                    .thenApply(CodeFlow::tokens);
        } catch (IllegalArgumentException e) {
            throw new Failure(String.valueOf(e.getMessage()), false);
        }
    }

    private static String basic(String clientId, String secret) {
        String pair = encoded(clientId) + ':' + encoded(secret);
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, Object> tokens(IssuerHttp.Answer answer) {
        try {
            Map<String, Object> members = JSONObjectUtils.parse(answer.body());
            if (answer.status() != 200) {
                throw new Failure(
                        "the issuer did not exchange the code: status " + answer.status() + ", "
                                + shown(text(members, "error") + ' ' + text(members, "error_description")),
                        answer.status() >= 500);
            }
            return members;
        } catch (ParseException e) {
            throw new Failure(
                    "the issuer did not exchange the code: status " + answer.status() + ", no JSON",
                    answer.status() >= 500);
        }
    }

    private CompletionStage<Reply> loggedIn(Flow flow, Map<String, Object> tokens, String address) {
        String idToken = text(tokens, "id_token");
        if (idToken.isEmpty()) {
            throw new Failure("the issuer sent no id_token (expected: an answer to the scope openid)", false);
        }
        CompletionStage<?> keys = issuer.awaitKeys(idToken);
        return (keys == null ? CompletableFuture.completedFuture(null) : keys)
                .thenCompose(done -> userInfo(flow, idToken, tokens))
                .thenApply(info -> identified(flow, idToken, info, tokens, address));
    }

    /** The claims that the issuer gives for the access token of the login; none unless the settings ask for them. */
    private CompletionStage<Map<String, Object>> userInfo(Flow flow, String idToken, Map<String, Object> tokens) {
        KeyFetch.Description description = issuer.description();
        if (!settings.asksUserInfo() || description == null) {
            return CompletableFuture.completedFuture(Map.of());
        }
        IssuerTokens.Reading reading = issuer.readLogin(idToken, settings.clientId(), flow.nonce, Map.of());
        if (!(reading instanceof IssuerTokens.Issued issued)) {
            // Refused for the same reason by the caller, which reports it.
            return CompletableFuture.completedFuture(Map.of());
        }
        String accessToken = text(tokens, "access_token");
        if (accessToken.isEmpty() || !text(tokens, "token_type").equalsIgnoreCase("Bearer")) {
            throw new Failure("the issuer sent no access token of the type Bearer for its user info", false);
        }
        try {
            return issuer.http()
                    .get(description.url("userinfo_endpoint"), "Bearer " + accessToken)
                    .thenApply(answer -> userInfo(answer, issued.identity()));
        } catch (IllegalArgumentException e) {
            throw new Failure(String.valueOf(e.getMessage()), false);
        }
    }

    private static Map<String, Object> userInfo(IssuerHttp.Answer answer, IssuerIdentity person) {
        if (answer.status() != 200) {
            throw new Failure(
                    "the issuer gave no user info: status " + answer.status() + " (expected: 200)",
                    answer.status() >= 500,
                    person.name());
        }
        try {
            Map<String, Object> info = JSONObjectUtils.parse(answer.body());
            if (!person.subject().equals(info.get("sub"))) {
                throw new Failure(
                        "the user info is of the subject '" + shown(String.valueOf(info.get("sub"))) + '\'',
                        false,
                        person.name());
            }
            return info;
        } catch (ParseException e) {
            throw new Failure("the user info is no JSON (expected: no signed or encrypted one)", false, person.name());
        }
    }

    private Reply identified(
            Flow flow, String idToken, Map<String, Object> info, Map<String, Object> tokens, String address) {
        IssuerTokens.Reading reading = issuer.readLogin(idToken, settings.clientId(), flow.nonce, info);
        issuer.report(reading);
        if (reading instanceof IssuerTokens.Refused refused) {
            throw Failure.of(refused);
        }
        IssuerTokens.Issued issued = (IssuerTokens.Issued) reading;
        long until = issued.identity().expiresAtMillis() - issuer.skewMillis();
        if (tokens.get("expires_in") instanceof Number seconds && seconds.longValue() > 0) {
            until = Math.min(until, clock.millis() + seconds.longValue() * 1000);
        }
        if (until <= clock.millis()) {
            throw new Failure("the id_token has expired", false);
        }
        Authenticator.LoggedIn login = authenticator.loginBy(issued, until, address);
        String code = drawn();
        String end = Long.toString(clock.millis() + login.timeToLive().toMillis());
        String done = seal.seal(DONE, Map.of("code", code, "token", login.token(), "end", end), TO_EXCHANGE);
        if (done == null) {
            throw new Failure("too many rules match: the token does not fit into a cookie", false);
        }
        List<Cookie> cookies = new ArrayList<>(List.of(cookie(DONE, done, TO_EXCHANGE)));
        String hint = seal.seal(HINT, Map.of("id", idToken), TO_LOG_OUT);
        if (hint != null) {
            cookies.add(cookie(HINT, hint, TO_LOG_OUT));
        }
        return new Reply(console(flow.view) + "#login=" + code, cookies);
    }

    private String console(String view) {
        return settings.publicUrl() + "/ui/" + view;
    }

    /** @param address of a browser that comes from the issuer, for the audit; null for one that is not sent there */
    private Reply failed(String view, Failure failure, @Nullable String address) {
        failed.increment();
        long before = lines.next();
        if (before != LogLines.NONE) {
            String others = before == 0 ? "" : " (and " + before + " logins without a line before)";
            log.warn("A login at the issuer {} failed: {}{}", issuer.name(), failure.getMessage(), others);
            if (address != null) {
                authenticator.loginFailed(failure.name, issuer.name(), failure.getMessage() + others, address);
            }
        }
        return new Reply(console(view) + (failure.isTemporary ? "#login-unavailable" : "#login-refused"), List.of());
    }

    @Override
    public @Nullable Exchanged exchange(String code, Function<String, @Nullable String> cookies) {
        Map<String, Object> done = seal.open(DONE, cookies.apply(name(DONE)));
        return done == null || !isSame(text(done, "code"), code)
                ? null
                : new Exchanged(
                        text(done, "token"),
                        Long.parseLong(text(done, "end")),
                        List.of(cookie(DONE, "", Duration.ZERO)));
    }

    @Override
    public Reply logout(@Nullable String idToken, Function<String, @Nullable String> cookies) {
        Map<String, Object> kept = seal.open(HINT, cookies.apply(HINT));
        String hint = kept == null ? idToken : text(kept, "id");
        List<Cookie> gone = List.of(cookie(HINT, "", Duration.ZERO));
        KeyFetch.Description description = issuer.description();
        if (description == null || !description.has("end_session_endpoint")) {
            return new Reply(console(""), gone);
        }
        Map<String, String> query = new LinkedHashMap<>();
        query.put("client_id", settings.clientId());
        query.put("post_logout_redirect_uri", console(""));
        if (hint != null) {
            query.put("id_token_hint", hint);
        }
        try {
            return new Reply(with(description.url("end_session_endpoint").toString(), query), gone);
        } catch (IllegalArgumentException e) {
            log.warn("The logout at the issuer {} is left out: {}", issuer.name(), e.getMessage());
            return new Reply(console(""), gone);
        }
    }

    /** Browsers accept a name with this prefix only from this host over TLS, so no other host can set it. */
    private String name(String cookie) {
        return settings.isSecure() && !cookie.equals(HINT) ? "__Host-" + cookie : cookie;
    }

    private Cookie cookie(String name, String value, Duration lifetime) {
        boolean isOfHost = settings.isSecure() && !name.equals(HINT);
        // The answer of the issuer is a navigation from its site, with which Strict cookies are not sent.
        return new Cookie(
                name(name),
                value,
                isOfHost ? "/" : settings.path() + PATH,
                lifetime.toSeconds(),
                settings.isSecure(),
                !name.equals(FLOW));
    }

    /** The sender chooses it, so it is cut and has no line breaks. */
    private static String shown(String text) {
        String visible = CONTROL.matcher(text.trim()).replaceAll("?");
        return visible.length() <= MAX_SHOWN ? visible : visible.substring(0, MAX_SHOWN) + "...";
    }
}
