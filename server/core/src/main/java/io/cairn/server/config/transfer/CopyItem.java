package io.cairn.server.config.transfer;

import org.jspecify.annotations.Nullable;

/**
 * One configuration to be copied.
 *
 * @param id of its row
 * @param group of the copy; blank or null for that of the original
 * @param dataId of the copy; blank or null for that of the original
 */
public record CopyItem(
        long id, @Nullable String group, @Nullable String dataId) {}
