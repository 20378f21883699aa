package io.cairn.server.auth;

/** Where the keys that sign tokens are kept. Blocks on the database or the disk. One call at a time. */
public interface SigningKeyStore {

    /**
     * The keys to sign with; new ones are made where there are none.
     *
     * @param untilMillis when the last token of a key expires that these keys have taken the place of, in epoch milliseconds
     */
    SigningKeys load(long untilMillis);

    /**
     * Replaces the current key; its tokens are accepted until that time.
     *
     * @throws io.cairn.api.error.CairnException {@code UNSUPPORTED} if the key is in the settings; {@code UNAVAILABLE}
     *     if the new one cannot be stored
     */
    SigningKeys rotate(long untilMillis);
}
