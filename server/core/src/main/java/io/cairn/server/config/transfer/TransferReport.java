package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import java.util.List;

/**
 * The result of an import or a clone.
 *
 * @param stored number of stored configurations
 * @param failed the configurations that failed because of the policy
 * @param skipped the configurations that were left out because of the policy
 * @param unrecognized entries of an archive that are not configurations, that its list does not name, or that could not
 *     be published; and entries of the list for which the archive has no file
 * @param lastRevision the revision of the last change that was made; 0 if there is none
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
