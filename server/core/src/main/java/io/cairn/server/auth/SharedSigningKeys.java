package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.SecretStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of all nodes in the shared database, with a copy in this folder for a start without the database. The first node stores
 * the keys of its folder; tokens of another node's folder stay valid on that node.
 */
public final class SharedSigningKeys implements SigningKeyStore {

    /** The shared secret, and the file of its copy. */
    public static final String NAME = "signing-keys";

    private static final Logger log = LoggerFactory.getLogger(SharedSigningKeys.class);

    private final SecretStore store;
    private final SecretFolder folder;
    private final Clock clock;

    private final SecureRandom random = new SecureRandom();

    public SharedSigningKeys(SecretStore store, SecretFolder folder, Clock clock) {
        this.store = store;
        this.folder = folder;
        this.clock = clock;
    }

    @Override
    public SigningKeys load(long untilMillis) {
        SigningKeys copy = folder.readKeys();
        SigningKeys first = copy == null ? SigningKeys.create(random) : copy;
        SigningKeys shared;
        try {
            shared = parse(store.putIfAbsent(NAME, first.text()));
        } catch (CairnException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            log.warn("The keys that sign tokens are those of this server's copy, for now: {}", e.text());
            shared = first;
        }
        return keep(copy, copy == null ? shared : shared.accepting(copy, clock.millis(), untilMillis));
    }

    /** The copy is all there is of a key generated without the database. */
    private SigningKeys keep(@Nullable SigningKeys copy, SigningKeys keys) {
        if (!keys.equals(copy)) {
            folder.writeKeys(keys);
        }
        return keys;
    }

    @Override
    public SigningKeys rotate(long untilMillis) {
        SigningKeys before = load(untilMillis);
        try {
            String now = store.replace(
                            NAME,
                            stored -> parse(stored).rotated(random, untilMillis).text())
                    .toCompletableFuture()
                    .join();
            return keep(before, parse(now));
        } catch (CompletionException e) {
            throw e.getCause() instanceof CairnException known ? known : e;
        }
    }

    private static SigningKeys parse(String stored) {
        try {
            return SigningKeys.parse(stored);
        } catch (IllegalArgumentException e) {
            // A decoder's message may quote its input.
            throw new CairnException(
                    ErrorCode.INTERNAL,
                    "The keys that sign tokens cannot be read: no keys are in the row '" + NAME
                            + "' of cairn_secret; delete the row to have new ones made");
        }
    }
}
