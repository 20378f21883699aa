package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigAttributes;

/**
 * A stored configuration with all that its publisher said of it.
 *
 * @param id of its row, by which the API names it
 * @param utf8 the content; not to be written to
 */
public record WholeConfig(long id, ConfigKey key, byte[] utf8, ConfigAttributes attributes) {}
