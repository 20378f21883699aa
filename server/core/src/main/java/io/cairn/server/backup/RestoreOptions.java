package io.cairn.server.backup;

/**
 * Options of a restore.
 *
 * @param overwrite replace the existing data
 * @param accounts restore users, roles, permissions and tokens from the archive
 */
public record RestoreOptions(boolean overwrite, boolean accounts) {}
