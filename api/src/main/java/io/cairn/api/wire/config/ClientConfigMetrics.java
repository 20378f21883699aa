package io.cairn.api.wire.config;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Java client's response to a {@link ClientConfigQuestion} (read in nacos-client 2.5.1): {@code metrics} maps an id of the client to
 * a JSON text.
 *
 * @param client random, constant during the client's life; null when absent
 * @param listensTo configurations with listeners, over all connections, also with a fail-over file; -1 when absent
 * @param held the asked contents, each with a colon and its MD5 at the end; without absent ones
 */
public record ClientConfigMetrics(@Nullable String client, int listensTo, List<String> held) {

    private static final int UNKNOWN = -1;

    /** @throws MalformedMessageException when a field has the wrong type, or the inner text is not JSON */
    public static ClientConfigMetrics read(JsonInput in) {
        Map<String, String> metrics = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (field.equals("metrics")) {
                metrics = in.texts();
            } else {
                in.skip();
            }
        }
        if (metrics == null || metrics.size() != 1) {
            return new ClientConfigMetrics(null, UNKNOWN, List.of());
        }
        Map.Entry<String, String> only = metrics.entrySet().iterator().next();
        return JsonInput.read(only.getValue(), inner -> ofClient(only.getKey(), inner));
    }

    private static ClientConfigMetrics ofClient(String client, JsonInput in) {
        int size = UNKNOWN;
        Map<String, String> held = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "listenConfigSize" -> size = in.number(UNKNOWN);
                case "metricValues" -> held = in.texts();
                default -> in.skip();
            }
        }
        return new ClientConfigMetrics(client, size, held == null ? List.of() : List.copyOf(held.values()));
    }

    /**
     * A client's answer without contents.
     *
     * @param md5s of the asked configurations that it holds, by their keys
     */
    public static Payload answer(@Nullable String requestId, String client, int listensTo, Map<String, String> md5s) {
        Map<String, String> held = new LinkedHashMap<>();
        md5s.forEach((key, md5) -> held.put(key, ':' + md5));
        byte[] ofClient = new JsonOutput(128)
                .text("listenConfigSize", Integer.toString(listensTo))
                .texts("metricValues", held)
                .toBytes();
        return Payload.of(
                MessageCatalog.CLIENT_CONFIG_METRIC_RESPONSE,
                new JsonOutput(256)
                        .number("resultCode", WireError.RESULT_OK)
                        .number("errorCode", 0)
                        .text("requestId", requestId)
                        .flag("success", true)
                        .texts("metrics", Map.of(client, new String(ofClient, StandardCharsets.UTF_8)))
                        .toBytes());
    }

    /** The digest at the end of the first held content; empty without one. */
    public Optional<ContentDigest> digest() {
        return held.stream()
                .map(each -> ContentDigest.parse(each.substring(each.lastIndexOf(':') + 1)))
                .flatMap(Optional::stream)
                .findFirst();
    }
}
