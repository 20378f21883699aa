package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.DeniedException;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.RightWanted;
import io.cairn.server.auth.TrustedProxies;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.tls.CertifiedUser;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Authorizes all requests. Of a client's statements only a verified token, password or certificate counts. */
public final class HttpAuthorizer {

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final TrustedProxies proxies;
    private final CrossOriginGuard pages;
    private final RequestLimit requests;
    private final @Nullable ClientsWithoutLogin served;
    private final ProxyMisfits misfits = new ProxyMisfits();
    private volatile Refusals refusals = (request, route, user, isVerified, denial) -> {};

    /** Receives requests that were refused for their sender. Must not block. */
    @FunctionalInterface
    public interface Refusals {

        /**
         * @param user the name in the credentials, or null
         * @param isVerified whether the name is proved, so that not every sender can claim it
         */
        void refused(HttpRequest request, HttpRoute route, @Nullable String user, boolean isVerified, Denial denial);
    }

    /**
     * @param pages detects requests of foreign pages
     * @param requests limits the requests of one caller
     * @param clients receives requests that are served without a login
     */
    public HttpAuthorizer(
            AccessPolicy policy,
            Authenticator authenticator,
            TrustedProxies proxies,
            CrossOriginGuard pages,
            RequestLimit requests,
            ClientsWithoutLogin clients) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.proxies = proxies;
        this.pages = pages;
        this.requests = requests;
        this.served = policy.servesClientsWithoutLogin() ? clients : null;
    }

    public void onRefusal(Refusals listener) {
        refusals = listener;
    }

    /** Requests with an unknown host or path. */
    public ProxyMisfits misfits() {
        return misfits;
    }

    /** Passes the request to its endpoint, or answers with the refusal. */
    CompletionStage<HttpResponse> pass(HttpRequest request, HttpRoute route, ContainerErrors errors) {
        RequestCaller.behind(request, proxies);
        boolean open = route.operation().right().isOpen();
        if (!policy.isEnabled() || policy.isStaged() && !policy.needsLogin(route.api())) {
            count(Principal.UNCHECKED, request);
            String objection = open ? null : pages.objection(request);
            if (objection != null) {
                return objected(request, route, errors, objection);
            }
            return served == null || open ? route.handle(request) : serve(request, route.handling(), served);
        }
        String address = RequestCaller.address(request);
        if (open) {
            RequestCaller.is(request, new Caller(Principal.ANONYMOUS, address));
            return route.handle(request);
        }
        String token = token(request);
        CompletionStage<?> keys = authenticator.awaitKeys(token);
        return keys == null
                ? identify(request, route, errors, token, address)
                : keys.thenCompose(done -> identify(request, route, errors, token, address));
    }

    private CompletionStage<HttpResponse> identify(
            HttpRequest request, HttpRoute route, ContainerErrors errors, @Nullable String token, String address) {
        Identity who = authenticator.byToken(token);
        CompletionStage<Identity> pending = who == Principal.ANONYMOUS ? byPassword(request, address) : null;
        CertifiedUser certified = request.certified();
        if (pending == null && who == Principal.ANONYMOUS && certified != null) {
            String objection = pages.objection(request);
            if (objection != null) {
                return objected(request, route, errors, objection);
            }
            who = authenticator.byCertificate(certified);
        }
        return pending == null
                ? decide(request, route, route.handling(), errors, who, address)
                : pending.thenCompose(identity -> decide(request, route, route.handling(), errors, identity, address));
    }

    /** By the basic header, or by parameters. Null without a password. */
    private @Nullable CompletionStage<Identity> byPassword(HttpRequest request, String address) {
        CompletionStage<Identity> pending = byBasic(request, address);
        // Parameters last: for some routes they name another user, to be created or changed.
        return pending != null || request.certified() != null ? pending : byParameters(request, address);
    }

    /** Serves a request without a login, and notes afterwards what its caller lacks. */
    private <T> CompletionStage<HttpResponse> serve(
            HttpRequest request, Handling<T> handling, ClientsWithoutLogin clients) {
        T read = null;
        if (handling.operation().right().dependsOnRequest()) {
            try {
                read = handling.operation().form().read(request);
            } catch (CairnException | IllegalArgumentException e) {
                // The endpoint answers with the fault.
                return handling.handle(request);
            }
        }
        note(request, handling.operation().right(), read, clients);
        return act(request, handling, read, null);
    }

    private <T> void note(HttpRequest request, Right<T> right, @Nullable T read, ClientsWithoutLogin clients) {
        String token = token(request);
        String address = RequestCaller.address(request);
        String app = request.header("Client-AppName");
        String named = app == null ? request.parameter("app") : app;
        String agent = request.header("User-Agent");
        String sdk = agent == null ? request.header("Client-Version") : agent;
        CertifiedUser certified = request.certified();
        Served<T> noted =
                new Served<>(right, read, token, address, named == null ? "" : named, sdk == null ? "" : sdk, clients);
        CompletionStage<?> keys = authenticator.awaitKeys(token);
        if (keys != null) {
            keys.thenRun(() -> note(noted, authenticator.byToken(token)));
            return;
        }
        Identity who = authenticator.byToken(token);
        CompletionStage<Identity> pending = who == Principal.ANONYMOUS ? byPassword(request, address) : null;
        if (pending != null) {
            pending.whenComplete((identity, failure) -> {
                // A password that could not be checked now is checked with a later request.
                if (failure == null) {
                    note(noted, identity);
                }
            });
        } else {
            note(noted, who == Principal.ANONYMOUS && certified != null ? authenticator.byCertificate(certified) : who);
        }
    }

    private record Served<T>(
            Right<T> right,
            @Nullable T read,
            @Nullable String token,
            String address,
            String application,
            String sdk,
            ClientsWithoutLogin clients) {

        @Nullable
        Denial check(AccessPolicy policy, Identity who) {
            return read == null ? right.check(policy, who) : right.check(policy, who, read);
        }
    }

    private void note(Served<?> request, Identity who) {
        Denial denial = policy.checkKnown(who);
        if (denial == null && request.clients.isRehearsal()) {
            denial = request.check(policy, who);
        }
        if (denial == null) {
            return;
        }
        RightWanted wanted = new RightWanted();
        request.check(wanted, Principal.ANONYMOUS);
        String user = who instanceof Principal known && known.isSomebody()
                ? known.toString()
                : authenticator.nameOf(request.token);
        request.clients.served(
                new ClientsWithoutLogin.Client(
                        "HTTP", request.address, request.application, request.sdk, user == null ? "" : user, null),
                denial,
                wanted);
    }

    private <T> CompletionStage<HttpResponse> decide(
            HttpRequest request,
            HttpRoute route,
            Handling<T> handling,
            ContainerErrors errors,
            Identity who,
            String address) {
        count(who, request);
        Right<T> right = handling.operation().right();
        T read = null;
        RuntimeException unreadable = null;
        Denial denial;
        if (right.dependsOnRequest()) {
            try {
                read = handling.operation().form().read(request);
                denial = right.check(policy, who, read);
            } catch (CairnException | IllegalArgumentException e) {
                // Only administrators learn the fault of the request.
                unreadable = e;
                denial = policy.checkAdmin(who);
            }
        } else {
            denial = right.check(policy, who);
        }
        if (denial != null) {
            notifyRefused(request, route, who, denial);
            return CompletableFuture.completedFuture(denied(request, route, errors, denial));
        }
        RequestCaller.is(request, new Caller((Principal) who, address));
        Principal principal = (Principal) who;
        try {
            return act(request, handling, read, unreadable).exceptionallyCompose(failure -> {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                return cause instanceof DeniedException
                        ? CompletableFuture.completedFuture(
                                denied(request, route, errors, AccessPolicy.lacking(principal)))
                        : CompletableFuture.failedFuture(failure);
            });
        } catch (DeniedException e) {
            return CompletableFuture.completedFuture(denied(request, route, errors, AccessPolicy.lacking(principal)));
        }
    }

    private static <T> CompletionStage<HttpResponse> act(
            HttpRequest request, Handling<T> handling, @Nullable T read, @Nullable RuntimeException unreadable) {
        if (unreadable != null) {
            CompletionStage<HttpResponse> refusal = handling.refusal(request);
            return refusal != null ? refusal : CompletableFuture.failedFuture(unreadable);
        }
        return read == null ? handling.handle(request) : handling.handle(read, request);
    }

    private void notifyRefused(HttpRequest request, HttpRoute route, Identity who, Denial denial) {
        if (who instanceof Principal principal && principal.isSomebody()) {
            refusals.refused(request, route, principal.toString(), true, denial);
            return;
        }
        String proved = authenticator.nameOf(token(request));
        refusals.refused(request, route, proved != null ? proved : claimedName(request), proved != null, denial);
    }

    private static @Nullable String claimedName(HttpRequest request) {
        String[] basic = basic(request);
        return basic != null ? basic[0] : request.parameter("username");
    }

    /** A user or token has its own count; unknown callers share the count of their address. */
    private void count(Identity who, HttpRequest request) {
        if (who instanceof Principal principal && principal.isSomebody()) {
            requests.check(principal.requests());
            return;
        }
        AddressLoad load = request.load();
        if (load != null) {
            requests.check(load.requests());
        }
    }

    private CompletionStage<HttpResponse> objected(
            HttpRequest request, HttpRoute route, ContainerErrors errors, String objection) {
        misfits.refused(request, objection);
        return CompletableFuture.completedFuture(refused(request, route, errors, objection));
    }

    private static HttpResponse denied(HttpRequest request, HttpRoute route, ContainerErrors errors, Denial denial) {
        return refused(request, route, errors, route.path().startsWith("/v3/") ? denial.newText() : denial.text());
    }

    private static HttpResponse refused(HttpRequest request, HttpRoute route, ContainerErrors errors, String text) {
        return errors.answer(
                request, 403, text, route.path().startsWith("/v1/cs/") ? HttpResponse.JSON_UTF8 : HttpResponse.JSON);
    }

    public static @Nullable String token(HttpRequest request) {
        String header = request.header("accessToken");
        if (header != null && !header.isBlank()) {
            return header;
        }
        String authorization = request.header("Authorization");
        if (authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return authorization.substring(BEARER.length()).trim();
        }
        return request.parameter("accessToken");
    }

    private @Nullable CompletionStage<Identity> byBasic(HttpRequest request, String address) {
        String[] basic = basic(request);
        return basic == null ? null : authenticator.byPassword(basic[0], basic[1], address);
    }

    /** Name and password of the basic header, or null. */
    private static String @Nullable [] basic(HttpRequest request) {
        String authorization = request.header("Authorization");
        if (authorization == null || !authorization.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return null;
        }
        String pair = decoded(authorization.substring(BASIC.length()).trim());
        int colon = pair.indexOf(':');
        return colon < 0 ? null : new String[] {pair.substring(0, colon), pair.substring(colon + 1)};
    }

    private @Nullable CompletionStage<Identity> byParameters(HttpRequest request, String address) {
        String username = request.parameter("username");
        String password = request.parameter("password");
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
