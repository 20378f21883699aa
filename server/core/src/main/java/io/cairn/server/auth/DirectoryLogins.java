package io.cairn.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks a directory about a name and password, and keeps its answers for a minute: requests may have a password each, and an
 * application that repeats a wrong one would lock out its account in the directory. Thread-safe; never blocks.
 */
final class DirectoryLogins {

    private static final int KNOWN = 10_000;
    private static final Duration MEMORY = Duration.ofMinutes(1);

    private final Directory directory;
    private final Cache<String, IssuerIdentity> right = cache();
    private final Cache<String, Boolean> wrong = cache();

    DirectoryLogins(Directory directory) {
        this.directory = directory;
    }

    private static <V> Cache<String, V> cache() {
        return Caffeine.newBuilder().maximumSize(KNOWN).expireAfterWrite(MEMORY).build();
    }

    /** @param digest of the name and password */
    boolean isKnownToBeWrong(String digest) {
        return wrong.getIfPresent(digest) != null;
    }

    /** Null unless the directory has confirmed the password in the last minute. */
    @Nullable
    IssuerIdentity known(String digest) {
        return right.getIfPresent(digest);
    }

    /** As {@link Directory#login}. */
    CompletionStage<@Nullable IssuedLogin> login(String username, String password, String digest, long endMillis) {
        return directory.login(username, password).thenApply(login -> {
            IssuerIdentity identity = login == null ? null : directory.present(login, endMillis);
            if (identity == null) {
                wrong.put(digest, true);
            } else {
                right.put(digest, identity);
            }
            return login;
        });
    }

    List<String> rules(IssuedLogin login) {
        return directory.rules(login);
    }

    @Nullable
    IssuerIdentity present(IssuedLogin login, long expiresAtMillis) {
        return directory.present(login, expiresAtMillis);
    }
}
