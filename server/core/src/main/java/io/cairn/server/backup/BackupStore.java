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
     * Writes what is stored at one moment, whatever is written meanwhile. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the database cannot be read
     */
    void write(BackupOptions options, BackupWriter out) throws IOException;

    /** The sections that hold something a restore with these options would take away. Blocks. */
    List<String> occupied(RestoreOptions options);

    /**
     * Puts the archive's rows in the place of those that are there, all or nothing, and shows them; nothing else is
     * written meanwhile. What the archive has no section for stays, and so does the record of who did what.
     *
     * @param archive verified
     * @return fails with {@code CONFLICT} when something is there that may not
     */
    CompletionStage<Void> restore(BackupArchive archive, RestoreOptions options, AuditRecord entry);
}
