package io.cairn.server.http.v3;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ReadConfig;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** {@code /v3/client/cs/config}: the content for clients without an SDK. */
public final class ClientConfigEndpoints {

    private static final ConfigActions.Reading READING = new ConfigActions.Reading(
            ClientConfigEndpoints::content, false, V3.ENVELOPE.failure(200, DetailCode.RESOURCE_NOT_FOUND, null));

    private final ConfigActions actions;
    private final Endpoints endpoints;

    public ClientConfigEndpoints(ConfigActions actions, ContainerErrors container) {
        this.actions = actions;
        this.endpoints = new Endpoints(new Errors(V3.errors(container)));
    }

    public List<HttpRoute> routes() {
        return List.of(endpoints.get(
                "/v3/client/cs/config",
                ConfigForm.V3.read().answers(ReadConfig.class).says("Reads the content for this client"),
                (key, http) -> actions.read(key, http, READING)));
    }

    private static HttpResponse content(ConfigVersion version) {
        byte[] json = ReadConfig.json(version);
        return V3.ENVELOPE.success(json.length, out -> out.json("data", json));
    }

    /** Only this endpoint of the version answers a missing parameter in plain text. */
    private record Errors(EnvelopeErrors others) implements HttpErrors {

        @Override
        public HttpResponse failed(HttpRequest request, CairnException failure) {
            if (failure instanceof ParameterException parameter
                    && parameter.problem() == ParameterException.Problem.MISSING) {
                String text = "caused: Required parameter '" + parameter.parameter() + "' type String is not present;";
                return V3.ENVELOPE
                        .start(400)
                        .contentType(HttpResponse.TEXT)
                        .body(text.getBytes(StandardCharsets.UTF_8));
            }
            return others.failed(request, failure);
        }

        @Override
        public HttpResponse wrongMethod(HttpRequest request, String allowed) {
            return others.wrongMethod(request, allowed);
        }
    }
}
