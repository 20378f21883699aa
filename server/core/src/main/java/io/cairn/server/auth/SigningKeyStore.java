package io.cairn.server.auth;

/** Stores signing keys. Blocks on database or disk. One call at a time. */
public interface SigningKeyStore {

    /**
     * Loads the keys, or generates new ones.
     *
     * @param untilMillis the last expiry of tokens of a replaced key, in epoch milliseconds
     */
    SigningKeys load(long untilMillis);

    /**
     * Replaces the current key; its tokens are accepted until that time.
     *
     * @throws io.cairn.api.error.CairnException {@code UNSUPPORTED} for a key in the settings; {@code UNAVAILABLE} if the new one
     *     cannot be stored
     */
    SigningKeys rotate(long untilMillis);
}
