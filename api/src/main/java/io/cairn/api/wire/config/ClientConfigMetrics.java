package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The official Java client's response to a {@code ClientConfigMetricRequest} (nacos-client 2.5.1): {@code metrics} maps an
 * id of the client to a JSON text.
 *
 * @param client random, constant during the client's life; null when absent
 * @param listensTo configurations with listeners, over all connections, also with a fail-over file; -1 when absent
 */
public record ClientConfigMetrics(@Nullable String client, int listensTo) {

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
            return new ClientConfigMetrics(null, UNKNOWN);
        }
        Map.Entry<String, String> only = metrics.entrySet().iterator().next();
        return new ClientConfigMetrics(only.getKey(), JsonInput.read(only.getValue(), ClientConfigMetrics::listensTo));
    }

    private static int listensTo(JsonInput in) {
        int size = UNKNOWN;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (field.equals("listenConfigSize")) {
                size = in.number(UNKNOWN);
            } else {
                in.skip();
            }
        }
        return size;
    }
}
