package io.cairn.server.node;

import java.util.Optional;

/** Secrets in files for the server's owner only, for a start without the database. Blocks on the disk. */
public interface LocalSecrets {

    /**
     * Without surrounding space.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} for an unreadable file
     */
    Optional<String> read(String name);

    /**
     * Replaces a secret.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} for an unwritable file
     */
    void write(String name, String secret);
}
