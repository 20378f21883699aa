package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.config.transfer.UnrecognizedEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of an import or copy, in version 3, without empty lists. */
public record Transferred(
        int succCount,
        int skipCount,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Name> failData,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Name> skipData,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer unrecognizedCount,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Unrecognized> unrecognizedData) {

    public record Name(String dataId, String group) {

        public static List<Name> listOf(List<ConfigKey> keys) {
            return keys.stream().map(key -> new Name(key.dataId(), key.group())).toList();
        }
    }

    /** An archive entry that was not stored. */
    public record Unrecognized(String itemName, String reason) {

        public static List<Unrecognized> listOf(List<UnrecognizedEntry> entries) {
            return entries.stream()
                    .map(entry -> new Unrecognized(entry.name(), entry.reason()))
                    .toList();
        }
    }

    public Transferred {
        failData = List.copyOf(failData);
        skipData = List.copyOf(skipData);
        unrecognizedData = List.copyOf(unrecognizedData);
    }

    public static Transferred of(TransferReport report) {
        return new Transferred(
                report.stored(),
                report.skipped().size(),
                Name.listOf(report.failed()),
                Name.listOf(report.skipped()),
                countOf(report.unrecognized()),
                Unrecognized.listOf(report.unrecognized()));
    }

    /** Null instead of 0. */
    public static @Nullable Integer countOf(List<UnrecognizedEntry> entries) {
        return entries.isEmpty() ? null : (Integer) entries.size();
    }
}
