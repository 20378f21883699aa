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
     * Puts a new key in the place of the present one, whose tokens are believed until then.
     *
     * @throws io.cairn.api.error.CairnException {@code UNSUPPORTED} when the settings have the key; {@code UNAVAILABLE} when the new
     *     one cannot be stored
     */
    SigningKeys rotate(long untilMillis);
}
