package io.cairn.server.rpc;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.tls.CertifiedUser;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The one place that authorizes messages: by the token that each of them carries, or by the certificate of its connection.
 */
public final class RpcAuthorizer {

    private static final Set<String> WATCHES =
            Set.of(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, MessageCatalog.SUBSCRIBE_SERVICE_REQUEST);
    private static final Set<String> PATTERNS =
            Set.of(MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST, MessageCatalog.NAMING_FUZZY_WATCH_REQUEST);

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final Map<String, MessageRule> rules;
    private final RequestLimit requests;
    private volatile Refusals refusals = (message, connection, user, isVerified, denial) -> {};

    /** Is told of messages that were refused for who sent them. Must not block. */
    @FunctionalInterface
    public interface Refusals {

        /**
         * @param user as the credentials name it; null where nothing proves a name
         * @param isVerified whether that name is proved
         */
        void refused(
                Payload message, ClientConnection connection, @Nullable String user, boolean isVerified, Denial denial);
    }

    /**
     * @param rules for each message type what it needs
     * @param requests how many one caller may send
     */
    public RpcAuthorizer(
            AccessPolicy policy, Authenticator authenticator, Map<String, MessageRule> rules, RequestLimit requests) {
        this.policy = policy;
        this.authenticator = authenticator;
        this.rules = Map.copyOf(rules);
        this.requests = requests;
    }

    /** Tells these refusals from now on. */
    public void tellRefusals(Refusals listener) {
        refusals = listener;
    }

    void checkComplete(List<MessageHandler> handlers) {
        List<String> missing = handlers.stream()
                .map(MessageHandler::requestType)
                .filter(type -> !rules.containsKey(type))
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("no access rule for " + String.join(", ", missing)
                    + " (add one to ConfigMessageAccess or NamingMessageAccess)");
        }
    }

    /** Hands the message to its handler, or answers why not. */
    CompletionStage<Payload> pass(Payload message, MessageHandler handler, ClientConnection connection) {
        if (!policy.isEnabled()) {
            count(Principal.UNCHECKED, connection);
            return handler.handle(message, connection, Principal.UNCHECKED);
        }
        MessageRule rule = rules.get(message.type());
        if (rule == null) {
            return denied(handler, Denial.NO_RIGHT);
        }
        if (rule == MessageRule.OPEN) {
            return handler.handle(message, connection, Principal.ANONYMOUS);
        }
        Identity who = authenticator.byToken(message.header("accessToken"));
        CertifiedUser certified = connection.certified();
        if (who == Principal.ANONYMOUS && certified != null) {
            who = authenticator.byCertificate(certified);
        }
        count(who, connection);
        Denial denial = rule.check(policy, who, message);
        if (denial != null) {
            String user = who instanceof Principal known && known.isSomebody()
                    ? known.toString()
                    : authenticator.nameOf(message.header("accessToken"));
            refusals.refused(message, connection, user, user != null, denial);
            return denied(handler, denial);
        }
        Principal principal = (Principal) who;
        if (WATCHES.contains(message.type())) {
            connection.watchedBy(principal, false);
        } else if (PATTERNS.contains(message.type())) {
            connection.watchedBy(principal, true);
        }
        return handler.handle(message, connection, principal);
    }

    /** Each user and token for itself; who is nobody in particular, with all others of his address. */
    private void count(Identity who, ClientConnection connection) {
        if (who instanceof Principal principal && principal.isSomebody()) {
            requests.check(principal.requests());
            return;
        }
        AddressLoad load = connection.load();
        if (load != null) {
            requests.check(load.requests());
        }
    }

    private static CompletionStage<Payload> denied(MessageHandler handler, Denial denial) {
        return CompletableFuture.completedFuture(handler.denied(denial.text()));
    }
}
