package io.cairn.server.auth;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Clock;

/** Replaces the keys. May block on their store. */
public final class KeyRotation {

    private final SigningKeyStore store;
    private final UserTokens tokens;
    private final Authenticator authenticator;
    private final Clock clock;

    @GuardedBy("this")
    private SigningKeys present;

    /** @param present the present signing keys */
    public KeyRotation(
            SigningKeyStore store, UserTokens tokens, Authenticator authenticator, Clock clock, SigningKeys present) {
        this.store = store;
        this.tokens = tokens;
        this.authenticator = authenticator;
        this.clock = clock;
        this.present = present;
    }

    /**
     * Signs with a new key. Tokens of the present key stay valid until they expire.
     *
     * @throws io.cairn.api.error.CairnException {@code UNSUPPORTED} for a secret in the settings, which would return at the next
     *     start
     */
    public synchronized void rotate() {
        use(store.rotate(untilMillis()));
    }

    /** Adopts the keys that another node has stored, if they are new. */
    public synchronized void reload() {
        use(store.load(untilMillis()));
    }

    public synchronized SigningKeys present() {
        return present;
    }

    /** Nodes compare it to check that they sign with the same key. */
    public synchronized String fingerprint() {
        return present.fingerprint();
    }

    @GuardedBy("this")
    private void use(SigningKeys keys) {
        if (!keys.equals(present)) {
            present = keys;
            tokens.use(keys);
            authenticator.forgetTokens();
        }
    }

    private long untilMillis() {
        return clock.millis() + tokens.timeToLive().toMillis();
    }
}
