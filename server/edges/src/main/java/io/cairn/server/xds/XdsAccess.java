package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ApiKind;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.auth.RightWanted;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.tls.CertifiedUser;
import io.cairn.server.tls.ServerTls;
import io.cairn.server.xds.stream.Admission;
import io.cairn.server.xds.stream.XdsNode;
import io.cairn.server.xds.stream.XdsStream;
import java.time.Clock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Identifies mesh clients and checks their right to the namespace. */
public final class XdsAccess {

    private static final String BEARER = "Bearer ";

    private final AccessPolicy policy;
    private final Authenticator authenticator;
    private final Accounts accounts;
    private final BooleanSupplier ready;
    private final Clock clock;
    private final boolean needsLogin;
    private final @Nullable ClientsWithoutLogin served;

    /**
     * @param clients receives streams that are served without a login
     * @param ready whether clients are served; an empty registry must never be sent
     */
    public XdsAccess(
            AccessPolicy policy,
            Authenticator authenticator,
            Accounts accounts,
            ClientsWithoutLogin clients,
            BooleanSupplier ready,
            Clock clock) {
        this.ready = ready;
        this.policy = policy;
        this.needsLogin = policy.needsLogin(ApiKind.CLIENT);
        this.served = policy.servesClientsWithoutLogin() ? clients : null;
        this.authenticator = authenticator;
        this.accounts = accounts;
        this.clock = clock;
    }

    boolean isOpen() {
        return ready.getAsBoolean();
    }

    /** The user by the first of: certificate, headers of the call, node metadata. */
    Identity identify(Call call, XdsNode node) {
        return needsLogin ? callerOf(call, node) : Principal.UNCHECKED;
    }

    private Identity callerOf(Call call, XdsNode node) {
        CertifiedUser certified = ServerTls.userOf(call.channel());
        if (certified != null) {
            return authenticator.byCertificate(certified);
        }
        String header = call.credentials().authorization();
        if (header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return authenticator.byToken(header.substring(BEARER.length()).strip());
        }
        String token = call.credentials().accessToken();
        return authenticator.byToken(token.isEmpty() ? node.accessToken() : token);
    }

    /** Null when the caller may have a stream of the namespace. */
    public Admission.@Nullable Refused refusal(Identity caller, Namespace namespace) {
        if (!needsLogin) {
            return null;
        }
        if (caller instanceof Denial denial) {
            return new Admission.Refused(
                    GrpcStatus.UNAUTHENTICATED,
                    denial.text()
                            + " (give a token as header 'authorization: Bearer ...' or 'accessToken', or as node.metadata.accessToken)");
        }
        Principal principal = (Principal) caller;
        if (!principal.isSomebody()) {
            return new Admission.Refused(
                    GrpcStatus.UNAUTHENTICATED,
                    "no credentials (expected: a client certificate, a token as header 'authorization: Bearer ...' or"
                            + " 'accessToken', or node.metadata.accessToken)");
        }
        if (policy.checkEnter(principal, Action.READ, namespace, ResourceType.NAMING) != null) {
            return lacking(principal, namespace);
        }
        return null;
    }

    public static Admission.Refused lacking(Principal principal, Namespace namespace) {
        return new Admission.Refused(
                GrpcStatus.PERMISSION_DENIED,
                "'" + principal.name() + "' lacks the right to read services of the namespace '" + namespace
                        + "' (expected: a permission such as " + namespace + ":*:naming/* with action r)");
    }

    /** Notes a stream that is served only because clients need no login yet. */
    void note(XdsStream stream, XdsNode node) {
        if (served == null) {
            return;
        }
        Identity caller = callerOf(stream.call(), node);
        Denial denial = policy.checkKnown(caller);
        if (denial == null && served.isRehearsal()) {
            denial = policy.checkEnter(caller, Action.READ, node.namespace(), ResourceType.NAMING);
        }
        if (denial != null) {
            RightWanted wanted = new RightWanted();
            wanted.checkEnter(Principal.ANONYMOUS, Action.READ, node.namespace(), ResourceType.NAMING);
            String user = caller instanceof Principal known && known.isSomebody() ? known.toString() : "";
            served.served(
                    new ClientsWithoutLogin.Client(
                            "xDS", XdsStream.ipOf(stream.call()), node.cluster(), node.agent(), user, stream),
                    denial,
                    wanted);
        }
    }

    /** Null when the credentials are no longer valid. */
    public @Nullable Principal present(Principal before) {
        return needsLogin ? accounts.present(before, clock.millis()) : before;
    }
}
