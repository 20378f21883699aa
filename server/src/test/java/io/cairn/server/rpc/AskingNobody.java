package io.cairn.server.rpc;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.LoginThrottle;
import io.cairn.server.auth.SigningKeys;
import io.cairn.server.auth.UserTokens;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.RequestLimit;
import java.time.Clock;
import java.time.Duration;

/** An authorizer that identifies no caller, for a server without login. */
final class AskingNobody {

    private AskingNobody() {}

    static RpcAuthorizer authorizer() {
        Clock clock = Clock.systemUTC();
        Authenticator nobody = new Authenticator(
                new Accounts(null),
                new UserTokens(SigningKeys.of(new byte[32]), clock, Duration.ofHours(1)),
                IssuerTokens.NONE,
                new LoginThrottle(
                        new LoginThrottle.Limits(1, 1, 1, Duration.ofSeconds(1), Duration.ofSeconds(1)), clock),
                null,
                clock,
                Runnable::run);
        return new RpcAuthorizer(
                new AccessPolicy(false),
                nobody,
                new RequestLimit(new Limit("requests-per-second", "", Long.MAX_VALUE)),
                new ClientsWithoutLogin(false, clock));
    }
}
