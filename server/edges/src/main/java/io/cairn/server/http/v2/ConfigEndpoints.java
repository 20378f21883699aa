package io.cairn.server.http.v2;

import io.cairn.server.config.ConfigVersion;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.PublishEndpoints;
import io.cairn.server.http.config.ReadHeaders;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** {@code /v2/cs/config}: publish, read and delete one configuration. */
public final class ConfigEndpoints {

    private static final String PATH = "/v2/cs/config";

    /** As in Nacos: no content type, and a line end after the JSON. */
    private static final HttpResponse NOT_FOUND = HttpResponse.status(404)
            .body("{\"code\":20004,\"message\":\"resource not found\",\"data\":\"config data not exist\"}\n"
                    .getBytes(StandardCharsets.UTF_8));

    private static final ConfigActions.Reading READING =
            new ConfigActions.Reading(ConfigEndpoints::content, false, NOT_FOUND);

    private final ConfigActions actions;

    public ConfigEndpoints(ConfigActions actions) {
        this.actions = actions;
    }

    public List<HttpRoute> routes() {
        Endpoints single = new Endpoints(V2.SINGLE_PARAMETERS);
        List<HttpRoute> routes = new ArrayList<>();
        routes.add(single.get(
                PATH,
                ConfigForm.V2.read().answers("string").says("Reads the content for this client"),
                (key, http) -> actions.read(key, http, READING)));
        routes.addAll(new PublishEndpoints(actions, ConfigForm.V2, V2.TRUE)
                .routes(PATH, new Endpoints(V2.CONFIG_ERRORS), single));
        return routes;
    }

    private static HttpResponse content(ConfigVersion version) {
        return V2.ENVELOPE.success(
                ReadHeaders.of(version).contentType(HttpResponse.JSON_UTF8),
                version.length(),
                out -> out.utf8("data", version.utf8()));
    }
}
