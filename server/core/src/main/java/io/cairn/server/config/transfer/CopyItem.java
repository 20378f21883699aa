package io.cairn.server.config.transfer;

import org.jspecify.annotations.Nullable;

/**
 * @param id of the row
 * @param group of the copy; blank or null for the original's
 * @param dataId of the copy; blank or null for the original's
 */
public record CopyItem(
        long id, @Nullable String group, @Nullable String dataId) {}
