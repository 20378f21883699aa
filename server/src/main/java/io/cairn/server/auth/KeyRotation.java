package io.cairn.server.auth;

import java.time.Clock;

/** Puts new keys in the place of the present ones. Blocks on the file they are kept in. Thread-safe. */
public final class KeyRotation {

    private final SecretFolder secrets;
    private final UserTokens tokens;
    private final Clock clock;
    private SigningKeys present;

    public KeyRotation(SecretFolder secrets, UserTokens tokens, Clock clock, SigningKeys present) {
        this.secrets = secrets;
        this.tokens = tokens;
        this.clock = clock;
        this.present = present;
    }

    /** Signs with a new key from now on; tokens of the present one are good until their end. */
    public synchronized void rotate() {
        present = secrets.rotate(present, clock.millis() + tokens.timeToLive().toMillis());
        tokens.use(present);
    }
}
