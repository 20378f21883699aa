package io.cairn.server.node;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Secrets shared by all nodes of a database. */
public interface SecretStore {

    /**
     * Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} without the database
     */
    Optional<String> get(String name);

    /**
     * The first of several nodes stores its secret. Blocks.
     *
     * @return the stored secret, perhaps another node's
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} without the database
     */
    String putIfAbsent(String name, String secret);

    /**
     * Replaces a secret, and logs a change of the kind {@code secret} with its name, so that all nodes read it again. Never blocks.
     *
     * @param change makes the new secret in the transaction; may run again after a rollback
     * @return the new secret; fails with {@code NOT_FOUND} without a stored one
     */
    CompletionStage<String> replace(String name, UnaryOperator<String> change);
}
