package io.cairn.server.node;

import java.util.Optional;

/** Secrets in files that only the owner of this server may read: for a start without the database. Thread-safe; blocks on the disk. */
public interface LocalSecrets {

    /**
     * The secret of that name, without space around it.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the file cannot be read
     */
    Optional<String> read(String name);

    /**
     * Writes a secret in the place of the one before.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the file cannot be written
     */
    void write(String name, String secret);
}
