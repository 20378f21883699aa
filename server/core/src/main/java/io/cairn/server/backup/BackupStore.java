package io.cairn.server.backup;

import io.cairn.server.auth.AuditRecord;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Reads and replaces all that is stored. Thread-safe. */
public interface BackupStore {

    /** The names of the values that a row may have, by section. */
    Map<String, Set<String>> sections();

    /**
     * Writes a consistent state of the store, while writes continue. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} if the database cannot be read
     */
    void write(BackupOptions options, BackupWriter out) throws IOException;

    /** The sections that hold something a restore with these options would take away. Blocks. */
    List<String> occupied(RestoreOptions options);

    /**
     * Replaces the stored rows by those of the archive, all or nothing, and shows them; other writes wait. Data without
     * a section in the archive stays, and so does the audit log.
     *
     * @param archive verified
     * @return fails with {@code CONFLICT} if the store is not empty and {@code options} do not allow an overwrite
     */
    CompletionStage<Void> restore(BackupArchive archive, RestoreOptions options, AuditRecord entry);
}
