package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.server.attention.Finding;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks names and passwords in a directory outside this server. Thread-safe; never blocks. */
public interface Directory extends AutoCloseable {

    /** For a server that has local users alone. */
    Directory NONE = new Directory() {
        @Override
        public CompletionStage<@Nullable IssuedLogin> login(String username, String password) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public @Nullable IssuerIdentity present(IssuedLogin login, long expiresAtMillis) {
            return null;
        }

        @Override
        public List<String> rules(IssuedLogin login) {
            return List.of();
        }

        @Override
        public List<Finding> findings() {
            return List.of();
        }

        @Override
        public void close() {}
    };

    /**
     * Completes with the user, or with null for an unknown one or a wrong password.
     *
     * @throws CairnException (in the stage) {@code BUSY} for too many logins at a time, {@code UNAVAILABLE} when no server of the
     *     directory answers
     */
    CompletionStage<@Nullable IssuedLogin> login(String username, String password);

    /** The identity of a former login, with the roles of the present rules; null for a login of another source. */
    @Nullable
    IssuerIdentity present(IssuedLogin login, long expiresAtMillis);

    /** The present rules of the settings that matched at a login. */
    List<String> rules(IssuedLogin login);

    /** Findings about the directory for operators. */
    List<Finding> findings();

    @Override
    void close();
}
