package io.cairn.server.node;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of all messages between nodes: of the settings, else of the shared database, with a copy on disk for a start without it.
 * Blocks on database and disk.
 */
public final class GroupKey {

    /** A key in Base64. */
    public static final String SETTING = "cairn.cluster.key";

    public static final String NAME = "group-key";

    public static final int BYTES = 32;

    private static final Logger log = LoggerFactory.getLogger(GroupKey.class);

    private final SecretStore store;
    private final LocalSecrets copies;
    private final byte @Nullable [] configured;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param configured the value of {@value #SETTING}, or null or blank
     * @throws CairnException {@code INVALID_PARAMETER} for another text than a key
     */
    public GroupKey(SecretStore store, LocalSecrets copies, @Nullable String configured) {
        this.store = store;
        this.copies = copies;
        this.configured = configured == null || configured.isBlank()
                ? null
                : parse(configured.strip())
                        .orElseThrow(() -> new CairnException(
                                ErrorCode.INVALID_PARAMETER,
                                SETTING + ": not the Base64 form of " + BYTES
                                        + " bytes (expected: the output of 'openssl rand -base64 " + BYTES
                                        + "', the same on all nodes)"));
    }

    private static Optional<byte[]> parse(String base64) {
        try {
            byte[] key = Base64.getDecoder().decode(base64);
            return key.length == BYTES ? Optional.of(key) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * The first node generates it.
     *
     * @throws CairnException {@code UNAVAILABLE} without database and copy
     */
    public byte[] load() {
        if (configured != null) {
            return configured.clone();
        }
        Optional<String> copy = copies.read(NAME);
        String stored;
        try {
            // A copy counts where the database has no key, because the other nodes have the same copy.
            stored = store.putIfAbsent(
                    NAME, copy.filter(text -> parse(text).isPresent()).orElseGet(this::create));
        } catch (CairnException e) {
            if (e.code() != ErrorCode.UNAVAILABLE || copy.isEmpty()) {
                throw e;
            }
            log.warn("The key of the group is read from this node's copy: {}", e.text());
            return key(copy.get(), "the file '" + NAME + "' of data/auth (delete it, and start with the database)");
        }
        byte[] key = key(stored, "the row '" + NAME + "' of cairn_secret (delete it, and restart all nodes together)");
        if (!copy.equals(Optional.of(stored))) {
            copies.write(NAME, stored);
        }
        return key;
    }

    private static byte[] key(String text, String place) {
        return parse(text)
                .orElseThrow(() -> new CairnException(
                        ErrorCode.UNAVAILABLE, "The key of the group cannot be read: no key is in " + place));
    }

    private String create() {
        byte[] key = new byte[BYTES];
        random.nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    /**
     * Stores a new key. The group uses the former one until all nodes are restarted together.
     *
     * @throws CairnException {@code UNSUPPORTED} for a key in the settings; {@code UNAVAILABLE} without the database
     */
    public void rotate() {
        if (configured != null) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "the key of the group is that of the settings; change " + SETTING
                            + " on all nodes and restart them together");
        }
        load();
        try {
            copies.write(
                    NAME,
                    store.replace(NAME, before -> create())
                            .toCompletableFuture()
                            .join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof CairnException known ? known : e;
        }
    }

    /** Updates this node's copy after another node has stored a new key. */
    public void reload() {
        if (configured == null && copies.read(NAME).isPresent()) {
            load();
        }
    }
}
