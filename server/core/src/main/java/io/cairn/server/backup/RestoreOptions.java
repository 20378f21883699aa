package io.cairn.server.backup;

/**
 * What a restore may do.
 *
 * @param overwrite take away what is there
 * @param accounts take users, roles, permissions and tokens from the archive
 */
public record RestoreOptions(boolean overwrite, boolean accounts) {}
