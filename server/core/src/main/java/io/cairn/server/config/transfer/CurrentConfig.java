package io.cairn.server.config.transfer;

import io.cairn.api.config.ContentDigest;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The configuration that is currently stored under a key.
 *
 * @param digest empty if there is none
 * @param content loads the content, an empty text if it was deleted meanwhile; blocks
 */
public record CurrentConfig(Optional<ContentDigest> digest, Supplier<String> content) {}
