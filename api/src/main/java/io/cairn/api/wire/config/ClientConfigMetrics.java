package io.cairn.api.wire.config;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the official Java client to a {@code ClientConfigMetricRequest}: one entry in {@code metrics}, from an id of the
 * client to a JSON text about it. Read from nacos-client 2.5.1.
 *
 * @param client a random id that the client keeps as long as it lives; null when the answer names none
 * @param listensTo configurations that it wants to listen to, over all its connections; those with a fail-over file count,
 *     although it does not listen to them; -1 when the answer does not say
 */
public record ClientConfigMetrics(@Nullable String client, int listensTo) {

    private static final int UNKNOWN = -1;

    /** @throws MalformedMessageException when a field has the wrong type, or the text about the client is not JSON */
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
