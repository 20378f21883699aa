package io.cairn.server.config.transfer;

import io.cairn.api.config.ContentDigest;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What is stored under a key at the moment.
 *
 * @param digest empty when nothing is
 * @param content loads the content, empty text when it is gone meanwhile; blocks
 */
public record CurrentConfig(Optional<ContentDigest> digest, Supplier<String> content) {}
