package io.cairn.server.storage.database;

/** Statements that write a row of {@code cairn_change} that is no change, and delete it again. */
public final class WriteProbe {

    /** Up to its {@code data_id}. */
    public static final String INSERT = "INSERT INTO cairn_change"
            + " (revision, batch, kind, op_type, group_id, tenant_id, md5, changed_at, data_id)"
            + " VALUES (-1, 0, 'probe', '', '', '', NULL, 0, ";

    public static final String DELETE = "DELETE FROM cairn_change WHERE revision = -1";

    private WriteProbe() {}
}
