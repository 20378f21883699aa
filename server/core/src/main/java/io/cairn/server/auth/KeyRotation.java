package io.cairn.server.auth;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.time.Clock;

/** Puts new keys in the place of the present ones. Blocks on the file they are kept in. Thread-safe. */
public final class KeyRotation {

    private final SecretFolder secrets;
    private final UserTokens tokens;
    private final Authenticator authenticator;
    private final boolean configured;
    private final Clock clock;

    @GuardedBy("this")
    private SigningKeys present;

    /** @param configured whether the present key is the one of the settings, which only they can replace */
    public KeyRotation(
            SecretFolder secrets,
            UserTokens tokens,
            Authenticator authenticator,
            boolean configured,
            Clock clock,
            SigningKeys present) {
        this.secrets = secrets;
        this.tokens = tokens;
        this.authenticator = authenticator;
        this.configured = configured;
        this.clock = clock;
        this.present = present;
    }

    /**
     * Signs with a new key from now on; tokens of the present one are good until their end, at most as long as those
     * given out now.
     *
     * @throws CairnException {@code UNSUPPORTED} when the settings have a secret, for it would be back at the next start
     */
    public synchronized void rotate() {
        if (configured) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "the secret is that of the settings and would be back at the next start; change"
                            + " nacos.core.auth.plugin.nacos.token.secret.key (or NACOS_AUTH_TOKEN) and restart");
        }
        present = secrets.rotate(present, clock.millis() + tokens.timeToLive().toMillis());
        tokens.use(present);
        authenticator.forgetTokens();
    }
}
