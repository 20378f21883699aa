package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v3/client/cs/config}: the content for clients without an SDK. */
public final class ClientConfigEndpoints {

    private static final HttpResponse NOT_FOUND = V3.ENVELOPE.failure(200, DetailCode.RESOURCE_NOT_FOUND, null);

    private final ConfigActions actions;
    private final HttpErrors errors;

    public ClientConfigEndpoints(ConfigActions actions, ContainerErrors container) {
        this.actions = actions;
        this.errors = new Errors(V3.errors(container));
    }

    public List<HttpRoute> routes() {
        return List.of(HttpRoute.get("/v3/client/cs/config", errors, this::get)
                .does(OldOperation.of(
                        "Reads the content that the sender gets",
                        "dataId! groupName! namespaceId tag @Vipserver-Tag @X-Forwarded-For @X-Real-IP",
                        "ReadConfig")));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ConfigKey key = ConfigForm.V3.key(request);
        return actions.read(request, key, request.parameter("tag"))
                .thenApply(found -> found.map(ClientConfigEndpoints::content).orElse(NOT_FOUND));
    }

    /** The message that gRPC clients get, in the envelope of the version. */
    private static HttpResponse content(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        byte[] json = new JsonOutput(256 + version.utf8().length)
                .number("resultCode", 200)
                .number("errorCode", 0)
                .json("message", "null")
                .json("requestId", "null")
                .utf8("content", version.utf8())
                // As the reference has it for a plain content: empty for all, and null for some.
                .textOrNull(
                        "encryptedDataKey",
                        gray != null && entry.encryptedDataKey().isEmpty() ? null : entry.encryptedDataKey())
                .text("contentType", entry.type().wireName())
                .text("md5", entry.digest().toString())
                .number("lastModified", entry.lastModifiedMillis())
                .textOrNull("tag", gray == null ? null : gray.tag())
                .flag("beta", gray != null && gray.isBeta())
                .flag("success", true)
                .toBytes();
        return V3.ENVELOPE.success(json.length, out -> out.json("data", json));
    }

    /** Missing parameters are told in plain text here, and only here. */
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
