package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ParameterCheck;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameter {@code Listening-Configs}: records ending in the character 1, of fields separated by the character 2.
 *
 * <p>Source: the long-polling protocol of Nacos 1.x.
 */
final class ListeningConfigs {

    static final int MAX_RECORDS = 10_000;

    private static final char FIELD = 2;
    private static final char RECORD = 1;
    private static final int MAX_FIELDS = 4;

    private ListeningConfigs() {}

    /**
     * A record as the client writes it.
     *
     * @param tenant null if absent
     */
    record Listened(
            ConfigKey key,
            String dataId,
            String group,
            String md5,
            @Nullable String tenant) {}

    /**
     * Parses a value that may still be percent-encoded once.
     *
     * @return null for a malformed value or more than {@link #MAX_RECORDS} records
     */
    static @Nullable List<Listened> parse(String value) {
        String text = value.indexOf('%') >= 0 ? URLDecoder.decode(value, StandardCharsets.UTF_8) : value;
        List<Listened> records = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int end = text.indexOf(RECORD, from);
            int stop = end < 0 ? text.length() : end;
            List<String> fields = fields(text, from, stop);
            if (fields == null || records.size() == MAX_RECORDS) {
                return null;
            }
            String tenant = fields.size() < MAX_FIELDS || fields.get(3).isEmpty() ? null : fields.get(3);
            String md5 = fields.size() < 3 ? "" : fields.get(2);
            ParameterCheck.config(fields.get(0), fields.get(1), tenant);
            records.add(new Listened(
                    ConfigDraft.key(fields.get(0), fields.get(1), tenant), fields.get(0), fields.get(1), md5, tenant));
            from = stop + 1;
        }
        return records;
    }

    private static @Nullable List<String> fields(String text, int from, int stop) {
        List<String> fields = new ArrayList<>(MAX_FIELDS);
        int start = from;
        while (true) {
            int separator = text.indexOf(FIELD, start);
            if (separator < 0 || separator >= stop) {
                fields.add(text.substring(start, stop));
                return fields.size() < 2 || fields.size() > MAX_FIELDS ? null : fields;
            }
            fields.add(text.substring(start, separator));
            start = separator + 1;
        }
    }

    /** The changed keys as a body; may be empty. */
    static String encode(List<Listened> changed) {
        if (changed.isEmpty()) {
            return "";
        }
        StringBuilder records = new StringBuilder();
        for (Listened record : changed) {
            records.append(record.dataId()).append(FIELD).append(record.group());
            if (record.tenant() != null) {
                records.append(FIELD).append(record.tenant());
            }
            records.append(RECORD);
        }
        return URLEncoder.encode(records.toString(), StandardCharsets.UTF_8) + '\n';
    }

    /** The changed keys in the header of the oldest clients. */
    static String encodeForOldClients(List<Listened> changed) {
        StringBuilder records = new StringBuilder();
        for (Listened record : changed) {
            records.append(record.dataId()).append(':').append(record.group()).append(';');
        }
        return records.toString();
    }
}
