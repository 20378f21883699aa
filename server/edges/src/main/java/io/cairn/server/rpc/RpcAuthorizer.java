package io.cairn.server.rpc;

import io.cairn.api.wire.Payload;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.ApiKind;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.RightWanted;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.tls.CertifiedUser;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes all messages: by the token in each, or the certificate of the connection. Identifies the caller before the body is
 * read, and checks the right after.
 */
public final class RpcAuthorizer {

    private static final String TOKEN = "accessToken";

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final RequestLimit requests;
    private final boolean needsLogin;
    private final @Nullable ClientsWithoutLogin served;
    private volatile Refusals refusals = refusal -> {};
    private volatile BiConsumer<ClientConnection, Principal> renewals = (connection, caller) -> {};

    /** Receives messages refused for their caller. Must not block. */
    @FunctionalInterface
    public interface Refusals {
        void refused(Refusal<?> refusal);
    }

    /**
     * @param request null for an unread body of an unknown caller
     * @param user the name in the credentials; null without a proved name
     */
    public record Refusal<T>(
            MessageHandler<T> handler,
            Payload message,
            @Nullable T request,
            ClientConnection connection,
            @Nullable String user,
            Denial denial) {}

    /**
     * @param requests limits the requests of one caller
     * @param clients receives requests that are served without a login
     */
    public RpcAuthorizer(
            AccessPolicy policy, Authenticator authenticator, RequestLimit requests, ClientsWithoutLogin clients) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.requests = requests;
        this.needsLogin = policy.needsLogin(ApiKind.CLIENT);
        this.served = policy.servesClientsWithoutLogin() ? clients : null;
    }

    public void onRefusal(Refusals listener) {
        refusals = listener;
    }

    /** @param listener receives a watching connection whose caller has sent a newer token. Must not block */
    public void onRenewal(BiConsumer<ClientConnection, Principal> listener) {
        renewals = listener;
    }

    /** Completes when the issuer was asked for a key that the token of the message needs; null if the caller can be identified now. */
    @Nullable
    CompletionStage<?> awaitKeys(Payload message, MessageHandler<?> handler) {
        return !needsLogin && served == null || handler.right().isOpen()
                ? null
                : authenticator.awaitKeys(message.header(TOKEN));
    }

    /**
     * Identifies the caller and counts its request; or returns the denial of an unknown caller, whose body need not be read.
     *
     * @throws io.cairn.api.error.CairnException {@code BUSY} for too many requests
     */
    <T> Identity identify(Payload message, MessageHandler<T> handler, ClientConnection connection) {
        if (!needsLogin) {
            count(Principal.UNCHECKED, connection);
            return Principal.UNCHECKED;
        }
        if (handler.right().isOpen()) {
            return Principal.ANONYMOUS;
        }
        Identity caller = callerOf(message, connection);
        count(caller, connection);
        Denial unknown = policy.checkKnown(caller);
        if (unknown == null) {
            Principal watcher = connection.watcher();
            if (watcher != null && ((Principal) caller).renews(watcher)) {
                renewals.accept(connection, (Principal) caller);
            }
            return caller;
        }
        report(message, handler, null, connection, caller, unknown);
        return unknown;
    }

    /** Null when the caller has the right; then notes the watches on the connection. */
    <T> @Nullable Denial check(
            Payload message, MessageHandler<T> handler, T request, ClientConnection connection, Principal caller) {
        if (!needsLogin) {
            if (served != null && !handler.right().isOpen()) {
                note(served, message, handler, request, connection);
            }
            return null;
        }
        Denial denial = handler.right().check(policy, caller, request);
        if (denial != null) {
            report(message, handler, request, connection, caller, denial);
            return denial;
        }
        MessageHandler.Watching watching = handler.watching();
        if (watching != MessageHandler.Watching.NOTHING) {
            connection.watchedBy(caller, watching == MessageHandler.Watching.PATTERNS);
        }
        return null;
    }

    private Identity callerOf(Payload message, ClientConnection connection) {
        Identity caller = authenticator.byToken(message.header(TOKEN));
        CertifiedUser certified = connection.certified();
        return caller == Principal.ANONYMOUS && certified != null ? authenticator.byCertificate(certified) : caller;
    }

    private <T> void note(
            ClientsWithoutLogin clients,
            Payload message,
            MessageHandler<T> handler,
            T request,
            ClientConnection connection) {
        Identity caller = callerOf(message, connection);
        Denial denial = policy.checkKnown(caller);
        if (denial == null && clients.isRehearsal()) {
            denial = handler.right().check(policy, (Principal) caller, request);
        }
        if (denial == null) {
            return;
        }
        RightWanted wanted = new RightWanted();
        handler.right().check(wanted, Principal.ANONYMOUS, request);
        String user = nameOf(message, caller);
        clients.served(
                new ClientsWithoutLogin.Client(
                        "gRPC",
                        connection.remoteIp(),
                        connection.identity().labels().getOrDefault("AppName", ""),
                        connection.identity().version(),
                        user == null ? "" : user,
                        connection),
                denial,
                wanted);
    }

    private @Nullable String nameOf(Payload message, Identity caller) {
        return caller instanceof Principal known && known.isSomebody()
                ? known.toString()
                : authenticator.nameOf(message.header(TOKEN));
    }

    private <T> void report(
            Payload message,
            MessageHandler<T> handler,
            @Nullable T request,
            ClientConnection connection,
            Identity caller,
            Denial denial) {
        refusals.refused(new Refusal<>(handler, message, request, connection, nameOf(message, caller), denial));
    }

    /** A user or token has its own count; unknown callers share the count of their address. */
    private void count(Identity caller, ClientConnection connection) {
        if (caller instanceof Principal principal && principal.isSomebody()) {
            requests.check(principal.requests());
            return;
        }
        AddressLoad load = connection.load();
        if (load != null) {
            requests.check(load.requests());
        }
    }
}
