package io.cairn.server.http.route;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.DeniedException;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.TrustedProxies;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.tls.CertifiedUser;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The one place where requests are let in or not. Nothing that a client says of itself counts but a token, a password or a certificate that was
 * verified.
 */
public final class HttpGate {

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final TrustedProxies proxies;
    private final ForeignPages pages;
    private final HttpAccess access;
    private final HttpAudit audit;
    private final RequestLimit requests;
    private final ProxyMisfits misfits = new ProxyMisfits();
    private volatile Refusals refusals = (call, route, user, isVerified, denial) -> {};

    /** Is told of requests that were refused for who sent them. Must not block. */
    @FunctionalInterface
    public interface Refusals {

        /**
         * @param user as the credentials name it; null where there are none
         * @param isVerified whether that name is proved, so that not anybody can claim it
         */
        void refused(HttpCall call, HttpRoute route, @Nullable String user, boolean isVerified, Denial denial);
    }

    /**
     * @param pages whose requests are not taken on trust
     * @param audit what is recorded of routes that change what is not stored
     * @param requests how many one caller may send
     */
    public HttpGate(
            AccessPolicy policy,
            Authenticator authenticator,
            TrustedProxies proxies,
            ForeignPages pages,
            HttpAccess access,
            HttpAudit audit,
            RequestLimit requests) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.proxies = proxies;
        this.pages = pages;
        this.access = access;
        this.audit = audit;
        this.requests = requests;
    }

    /** Tells these refusals from now on. */
    public void tellRefusals(Refusals listener) {
        refusals = listener;
    }

    /** The table of what each route needs. */
    public HttpAccess access() {
        return access;
    }

    /** The same route, recorded where the table of those says so. */
    HttpRoute audited(HttpRoute route) {
        return audit.of(route);
    }

    /** What is recorded besides that which the stores record. */
    public HttpAudit audit() {
        return audit;
    }

    /** Requests that do not fit how the server is reached. */
    public ProxyMisfits misfits() {
        return misfits;
    }

    /** Hands the request to its endpoint, or answers why not. */
    CompletionStage<HttpAnswer> pass(HttpCall call, HttpRoute route, HttpRule rule, ContainerErrors errors) {
        RequestCaller.behind(call, proxies);
        if (!policy.isEnabled()) {
            count(Principal.UNCHECKED, call);
            String objection = rule == HttpRule.OPEN ? null : pages.objection(call);
            return objection == null ? route.endpoint().handle(call) : objected(call, route, errors, objection);
        }
        String address = RequestCaller.address(call);
        if (rule == HttpRule.OPEN) {
            RequestCaller.is(call, new Caller(Principal.ANONYMOUS, address));
            return route.endpoint().handle(call);
        }
        CompletionStage<Identity> pending = null;
        Identity who = authenticator.byToken(token(call));
        if (who == Principal.ANONYMOUS) {
            pending = byBasic(call, address);
        }
        CertifiedUser certified = call.certified();
        if (pending == null && who == Principal.ANONYMOUS && certified != null) {
            String objection = pages.objection(call);
            if (objection != null) {
                return objected(call, route, errors, objection);
            }
            who = authenticator.byCertificate(certified);
        }
        // Parameters last: for some routes they name another user, whom the caller creates or changes.
        if (pending == null && who == Principal.ANONYMOUS) {
            pending = byParameters(call, address);
        }
        return pending == null
                ? decide(call, route, rule, errors, who, address)
                : pending.thenCompose(identity -> decide(call, route, rule, errors, identity, address));
    }

    private CompletionStage<HttpAnswer> decide(
            HttpCall call, HttpRoute route, HttpRule rule, ContainerErrors errors, Identity who, String address) {
        count(who, call);
        Denial denial = rule.check(policy, who, call);
        if (denial != null) {
            tellRefused(call, route, who, denial);
            return CompletableFuture.completedFuture(denied(call, route, errors, denial));
        }
        RequestCaller.is(call, new Caller((Principal) who, address));
        Principal principal = (Principal) who;
        try {
            return route.endpoint().handle(call).exceptionallyCompose(failure -> {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                return cause instanceof DeniedException
                        ? CompletableFuture.completedFuture(
                                denied(call, route, errors, AccessPolicy.lacking(principal)))
                        : CompletableFuture.failedFuture(failure);
            });
        } catch (DeniedException e) {
            return CompletableFuture.completedFuture(denied(call, route, errors, AccessPolicy.lacking(principal)));
        }
    }

    private void tellRefused(HttpCall call, HttpRoute route, Identity who, Denial denial) {
        if (who instanceof Principal principal && principal.isSomebody()) {
            refusals.refused(call, route, principal.toString(), true, denial);
            return;
        }
        String proved = authenticator.nameOf(token(call));
        refusals.refused(call, route, proved != null ? proved : claimedName(call), proved != null, denial);
    }

    private static @Nullable String claimedName(HttpCall call) {
        String[] basic = basic(call);
        return basic != null ? basic[0] : call.parameter("username");
    }

    /** Each user and token for itself; who is nobody in particular, with all others of his address. */
    private void count(Identity who, HttpCall call) {
        if (who instanceof Principal principal && principal.isSomebody()) {
            requests.check(principal.requests());
            return;
        }
        AddressLoad load = call.load();
        if (load != null) {
            requests.check(load.requests());
        }
    }

    private CompletionStage<HttpAnswer> objected(
            HttpCall call, HttpRoute route, ContainerErrors errors, String objection) {
        misfits.refused(call, objection);
        return CompletableFuture.completedFuture(refused(call, route, errors, objection));
    }

    private static HttpAnswer denied(HttpCall call, HttpRoute route, ContainerErrors errors, Denial denial) {
        return refused(call, route, errors, route.path().startsWith("/v3/") ? denial.newText() : denial.text());
    }

    private static HttpAnswer refused(HttpCall call, HttpRoute route, ContainerErrors errors, String text) {
        return errors.answer(
                call, 403, text, route.path().startsWith("/v1/cs/") ? HttpAnswer.JSON_UTF8 : HttpAnswer.JSON);
    }

    /** The token that came with a request; null without one. */
    public static @Nullable String token(HttpCall call) {
        String header = call.header("accessToken");
        if (header != null && !header.isBlank()) {
            return header;
        }
        String authorization = call.header("Authorization");
        if (authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return authorization.substring(BEARER.length()).trim();
        }
        return call.parameter("accessToken");
    }

    private @Nullable CompletionStage<Identity> byBasic(HttpCall call, String address) {
        String[] basic = basic(call);
        return basic == null ? null : authenticator.byPassword(basic[0], basic[1], address);
    }

    /** The name and the password of the header for both; null without it. */
    private static String @Nullable [] basic(HttpCall call) {
        String authorization = call.header("Authorization");
        if (authorization == null || !authorization.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return null;
        }
        String pair = decoded(authorization.substring(BASIC.length()).trim());
        int colon = pair.indexOf(':');
        return colon < 0 ? null : new String[] {pair.substring(0, colon), pair.substring(colon + 1)};
    }

    private @Nullable CompletionStage<Identity> byParameters(HttpCall call, String address) {
        String username = call.parameter("username");
        String password = call.parameter("password");
        return username == null || password == null ? null : authenticator.byPassword(username, password, address);
    }

    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
