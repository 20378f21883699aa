package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.naming.NamingException;
import java.nio.charset.StandardCharsets;

/** How version 1 words the failures of the registry: mostly the bare text, in a few cases the JSON of the container. */
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

    /** For the endpoints of Nacos that declare their parameters: those have other words for one that is missing. */
    V1NamingErrors ofDeclared() {
        return new V1NamingErrors(container, true);
    }

    @Override
    public HttpAnswer failed(HttpCall call, CairnException failure) {
        if (failure instanceof ParameterException refused && refused.problem() == ParameterException.Problem.REFUSED) {
            return HttpAnswer.status(400).notCached().body((failure.text() + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
        if (ofDeclared
                && failure instanceof ParameterException missing
                && missing.problem() == ParameterException.Problem.MISSING) {
            return HttpAnswer.of(400, HttpAnswer.TEXT, "Parameter '" + missing.parameter() + "' is missing");
        }
        if (failure instanceof NamingException known) {
            return failed(call, known);
        }
        if (failure.code() == ErrorCode.INTERNAL) {
            return serverFailed(call, failure.text());
        }
        return HttpAnswer.of(ContainerErrors.status(failure.code()), HttpAnswer.TEXT, failure.text());
    }

    private HttpAnswer failed(HttpCall call, NamingException failure) {
        String text = failure.text();
        return switch (failure.fault()) {
            case MALFORMED_SERVICE_NAME ->
                container.answer(call, 400, "Service name filter error,caused: " + text + ";", HttpAnswer.JSON);
            case METADATA_FORMAT -> serverFailed(call, "ErrCode:400, ErrMsg:" + text + ";caused: " + text);
            case BEAT_FORMAT -> serverFailed(call, text);
            // Of services, version 1 has no other status than this.
            case WEIGHT,
                    SELECTOR,
                    INSTANCE,
                    OTHER_KIND,
                    HEALTH_IS_CHECKED,
                    INSTANCE_SERVICE_ABSENT,
                    SERVICE_ABSENT,
                    SERVICE_EXISTS,
                    SERVICE_NOT_EMPTY -> HttpAnswer.of(400, HttpAnswer.TEXT, text);
        };
    }

    private HttpAnswer serverFailed(HttpCall call, String why) {
        return container.answer(call, 500, "Server failed, caused: " + why + ";", HttpAnswer.JSON);
    }

    @Override
    public HttpAnswer wrongMethod(HttpCall call, String allowed) {
        return noSuchApi(call);
    }

    /** The answer to a path that is none of the registry's, or a method that it does not have. */
    HttpAnswer noSuchApi(HttpCall call) {
        return container.answer(call, 501, "no such api:" + call.method() + ':' + call.path(), HttpAnswer.JSON);
    }
}
