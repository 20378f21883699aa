package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys in this server's folder, for a database that is not shared, or a key in the settings. A different key in the file stays
 * valid for as long as its tokens may live.
 */
public final class FileSigningKeys implements SigningKeyStore {

    private final SecretFolder folder;
    private final byte @Nullable [] configured;

    private final SecureRandom random = new SecureRandom();

    /** @param configured the key of the settings, or null */
    public FileSigningKeys(SecretFolder folder, byte @Nullable [] configured) {
        this.folder = folder;
        this.configured = configured == null ? null : Arrays.copyOf(configured, configured.length);
    }

    @Override
    public SigningKeys load(long untilMillis) {
        SigningKeys known = folder.readKeys();
        SigningKeys keys;
        if (known == null) {
            keys = configured == null ? SigningKeys.create(random) : SigningKeys.of(configured);
        } else {
            keys = configured == null ? known : known.replacedBy(configured, untilMillis);
        }
        if (!keys.equals(known)) {
            folder.writeKeys(keys);
        }
        return keys;
    }

    @Override
    public SigningKeys rotate(long untilMillis) {
        if (configured != null) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "the secret is that of the settings and would be back at the next start; change"
                            + " nacos.core.auth.plugin.nacos.token.secret.key (or NACOS_AUTH_TOKEN) and restart");
        }
        SigningKeys keys = load(untilMillis).rotated(random, untilMillis);
        folder.writeKeys(keys);
        return keys;
    }
}
