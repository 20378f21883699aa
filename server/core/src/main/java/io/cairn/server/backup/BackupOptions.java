package io.cairn.server.backup;

/**
 * The optional parts of a backup.
 *
 * @param history the former contents of configurations
 * @param audit the audit log
 * @param accounts users with the hashes of their passwords, roles, permissions, tokens
 */
public record BackupOptions(boolean history, boolean audit, boolean accounts) {

    /** All parts. */
    public static final BackupOptions ALL = new BackupOptions(true, true, true);
}
