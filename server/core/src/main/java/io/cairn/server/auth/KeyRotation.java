package io.cairn.server.auth;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Clock;

/** Puts new keys in the place of the present ones. Blocks where the keys are kept. Thread-safe. */
public final class KeyRotation {

    private final SigningKeyStore store;
    private final UserTokens tokens;
    private final Authenticator authenticator;
    private final Clock clock;

    @GuardedBy("this")
    private SigningKeys present;

    /** @param present the keys that the tokens are signed with */
    public KeyRotation(
            SigningKeyStore store, UserTokens tokens, Authenticator authenticator, Clock clock, SigningKeys present) {
        this.store = store;
        this.tokens = tokens;
        this.authenticator = authenticator;
        this.clock = clock;
        this.present = present;
    }

    /**
     * Signs with a new key from now on; tokens of the present one are good until their end, at most as long as those
     * given out now.
     *
     * @throws io.cairn.api.error.CairnException {@code UNSUPPORTED} when the settings have a secret, for it would be back at the
     *     next start
     */
    public synchronized void rotate() {
        use(store.rotate(untilMillis()));
    }

    /** Takes over the keys that another node has stored; does nothing when they are the present ones. */
    public synchronized void reload() {
        use(store.load(untilMillis()));
    }

    /** A text by which nodes find out whether they sign with the same key. */
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
