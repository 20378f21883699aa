package io.cairn.server.backup;

/**
 * @param overwrite existing data
 * @param accounts users, roles, permissions and tokens
 */
public record RestoreOptions(boolean overwrite, boolean accounts) {}
