package io.cairn.server.config.transfer;

import io.cairn.api.config.ContentDigest;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The stored configuration of a key.
 *
 * @param digest empty if absent
 * @param content loads the content, empty if deleted meanwhile; blocks
 */
public record CurrentConfig(Optional<ContentDigest> digest, Supplier<String> content) {}
