package io.cairn.server.node;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Secrets that all nodes of a database share. Thread-safe. */
public interface SecretStore {

    /**
     * The secret of that name. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the database cannot be reached
     */
    Optional<String> get(String name);

    /**
     * Stores the secret where there is none; of several nodes that do so at once the first wins. Blocks.
     *
     * @return the stored secret, which may be that of another node
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the database cannot be reached
     */
    String putIfAbsent(String name, String secret);

    /**
     * Replaces a secret, and logs a change of the kind {@code secret} with its name, so that all nodes read it again. Never blocks.
     *
     * @param change makes the new secret of the stored one, in the transaction; may run again after a rollback
     * @return the new secret; fails with {@code NOT_FOUND} where none is stored
     */
    CompletionStage<String> replace(String name, UnaryOperator<String> change);
}
