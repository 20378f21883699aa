package io.cairn.server.http.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.attention.Finding;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A finding with its nodes. Components as in {@link Finding}; the kind is a text, because later releases have further kinds.
 *
 * @param reason left out if absent
 * @param nodes addresses of the reporting nodes; left out by a single server
 */
public record ReportedFinding(
        String kind,
        boolean urgent,
        String subject,
        String groupName,
        String detail,
        long used,
        long max,
        @JsonInclude(JsonInclude.Include.NON_DEFAULT) long since,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String reason,

        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> nodes) {

    public ReportedFinding {
        nodes = List.copyOf(nodes);
    }

    static ReportedFinding of(Finding found, List<String> nodes) {
        return new ReportedFinding(
                found.kind().name(),
                found.urgent(),
                found.subject(),
                found.groupName(),
                found.detail(),
                found.used(),
                found.max(),
                found.since(),
                found.reason().isEmpty() ? null : found.reason(),
                nodes);
    }

    ReportedFinding by(List<String> reporting, long sinceMillis) {
        return new ReportedFinding(kind, urgent, subject, groupName, detail, used, max, sinceMillis, reason, reporting);
    }
}
