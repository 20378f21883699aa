package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import java.util.List;

/**
 * What became of an import or a clone.
 *
 * @param stored how many were stored
 * @param failed those that could not be, by the policy
 * @param skipped those that were left out, by the policy
 * @param unrecognized entries of an archive that are no configurations, that its list does not name, or that could not be
 *     published; and what the list names but the archive does not hold
 * @param lastRevision the revision of the last change that was made; 0 when there is none
 */
public record TransferReport(
        int stored,
        List<ConfigKey> failed,
        List<ConfigKey> skipped,
        List<UnrecognizedEntry> unrecognized,
        long lastRevision) {

    public TransferReport {
        failed = List.copyOf(failed);
        skipped = List.copyOf(skipped);
        unrecognized = List.copyOf(unrecognized);
    }
}
