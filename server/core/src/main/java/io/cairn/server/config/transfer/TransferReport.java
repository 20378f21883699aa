package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import java.util.List;

/**
 * The result of an import or clone.
 *
 * @param failed by the policy
 * @param skipped by the policy, or already stored with this content
 * @param unrecognized archive entries that are no configurations, unlisted or unpublishable; and listed ones without a file
 * @param lastRevision of the last change, or 0
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
