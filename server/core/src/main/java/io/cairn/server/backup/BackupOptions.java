package io.cairn.server.backup;

/**
 * @param history former contents
 * @param accounts users with password hashes, roles, permissions, tokens
 */
public record BackupOptions(boolean history, boolean audit, boolean accounts) {

    public static final BackupOptions ALL = new BackupOptions(true, true, true);
}
