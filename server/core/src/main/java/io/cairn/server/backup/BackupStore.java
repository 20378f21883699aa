package io.cairn.server.backup;

import io.cairn.server.auth.AuditRecord;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Reads and replaces the whole store. */
public interface BackupStore {

    /** The names of a row's values, by section. */
    Map<String, Set<String>> sections();

    /**
     * Writes a consistent state while writes continue. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} if the database is unreadable
     */
    void write(BackupOptions options, BackupWriter out) throws IOException;

    /** The sections whose data such a restore would remove. Blocks. */
    List<String> occupied(RestoreOptions options);

    /**
     * Replaces the stored rows, all or nothing, and shows them; other writes wait. The audit log stays, and so do data without a
     * section.
     *
     * @param archive verified
     * @return fails with {@code CONFLICT} for a non-empty store without overwrite
     */
    CompletionStage<Void> restore(BackupArchive archive, RestoreOptions options, AuditRecord entry);
}
