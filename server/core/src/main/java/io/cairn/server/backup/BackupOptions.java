package io.cairn.server.backup;

/**
 * What a backup holds beside what it always holds.
 *
 * @param history the former contents of configurations
 * @param audit the record of who did what
 * @param accounts users with the hashes of their passwords, roles, permissions, tokens
 */
public record BackupOptions(boolean history, boolean audit, boolean accounts) {

    /** All there is. */
    public static final BackupOptions ALL = new BackupOptions(true, true, true);
}
