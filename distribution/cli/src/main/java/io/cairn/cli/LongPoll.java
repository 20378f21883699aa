package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.net.URLDecoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The long poll of version 1, which every server knows. */
final class LongPoll {

    private static final char FIELD = '\u0002';
    private static final char RECORD = '\u0001';

    private LongPoll() {}

    static Set<ConfigKey> await(BridgeServer server, Map<ConfigKey, String> known, Duration wait) {
        StringBuilder records = new StringBuilder();
        known.forEach((key, md5) -> {
            records.append(key.dataId())
                    .append(FIELD)
                    .append(key.group())
                    .append(FIELD)
                    .append(md5);
            if (!key.namespace().isDefault()) {
                records.append(FIELD).append(key.namespace().id());
            }
            records.append(RECORD);
        });
        HttpResponse<String> response = server.send(asked -> asked.form(
                        "POST", "/v1/cs/configs/listener", parameters("Listening-Configs", records.toString()))
                .header("Long-Pulling-Timeout", Long.toString(wait.toMillis()))
                .timeout(wait.multipliedBy(2)));
        Set<ConfigKey> changed = new LinkedHashSet<>();
        String text = URLDecoder.decode(server.text(response).strip(), StandardCharsets.UTF_8);
        for (String record : text.split(String.valueOf(RECORD))) {
            String[] fields = record.split(String.valueOf(FIELD), -1);
            if (fields.length >= 2) {
                changed.add(new ConfigKey(
                        Namespace.ofNullable(fields.length > 2 ? fields[2] : null), fields[1], fields[0]));
            }
        }
        return changed;
    }
}
