package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.naming.NamingException;
import java.nio.charset.StandardCharsets;

/** Words the failures of the registry in version 1: mostly the bare text, sometimes the container's JSON. */
public final class V1NamingErrors implements HttpErrors {

    private final ContainerErrors container;
    private final boolean ofDeclared;

    public V1NamingErrors(ContainerErrors container) {
        this(container, false);
    }

    private V1NamingErrors(ContainerErrors container, boolean ofDeclared) {
        this.container = container;
        this.ofDeclared = ofDeclared;
    }

    /** For Nacos's endpoints with declared parameters, which have another text for a missing one. */
    V1NamingErrors ofDeclared() {
        return new V1NamingErrors(container, true);
    }

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        if (failure instanceof ParameterException refused && refused.problem() == ParameterException.Problem.REFUSED) {
            return HttpResponse.status(400)
                    .notCached()
                    .body((failure.text() + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
        if (ofDeclared
                && failure instanceof ParameterException missing
                && missing.problem() == ParameterException.Problem.MISSING) {
            return HttpResponse.of(400, HttpResponse.TEXT, "Parameter '" + missing.parameter() + "' is missing");
        }
        if (failure instanceof NamingException known) {
            return failed(request, known);
        }
        if (failure.code() == ErrorCode.INTERNAL) {
            return serverFailed(request, failure.text());
        }
        return HttpResponse.of(ContainerErrors.status(failure.code()), HttpResponse.TEXT, failure.text());
    }

    private HttpResponse failed(HttpRequest request, NamingException failure) {
        String text = failure.text();
        return switch (failure.fault()) {
            case MALFORMED_SERVICE_NAME ->
                container.answer(request, 400, "Service name filter error,caused: " + text + ";", HttpResponse.JSON);
            case METADATA_FORMAT -> serverFailed(request, "ErrCode:400, ErrMsg:" + text + ";caused: " + text);
            case BEAT_FORMAT -> serverFailed(request, text);
            // Version 1 has no other status for services.
            case WEIGHT,
                    SELECTOR,
                    INSTANCE,
                    OTHER_KIND,
                    HEALTH_IS_CHECKED,
                    INSTANCE_SERVICE_ABSENT,
                    SERVICE_ABSENT,
                    SERVICE_EXISTS,
                    SERVICE_NOT_EMPTY -> HttpResponse.of(400, HttpResponse.TEXT, text);
        };
    }

    private HttpResponse serverFailed(HttpRequest request, String why) {
        return container.answer(request, 500, "Server failed, caused: " + why + ";", HttpResponse.JSON);
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return noSuchApi(request);
    }

    /** The answer to an unknown path or method. */
    HttpResponse noSuchApi(HttpRequest request) {
        return container.answer(
                request, 501, "no such api:" + request.method() + ':' + request.path(), HttpResponse.JSON);
    }
}
