package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigAttributes;

/**
 * A whole stored configuration.
 *
 * @param id of its row, by which the API names it
 * @param utf8 must not be modified
 */
public record WholeConfig(long id, ConfigKey key, byte[] utf8, ConfigAttributes attributes) {}
