package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.HttpErrors;
import java.nio.charset.StandardCharsets;

final class V1ConsoleErrors implements HttpErrors {

    private final V1ConfigErrors others = new V1ConfigErrors();

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        if (failure instanceof ParameterException parameter) {
            switch (parameter.problem()) {
                case MISSING -> {
                    return V1ConfigErrors.missing(parameter.parameter());
                }
                case REFUSED -> {
                    // Here the check of names answers without a content type.
                    return HttpResponse.status(400)
                            .notCached()
                            .body((failure.text() + "\r\n").getBytes(StandardCharsets.UTF_8));
                }
                case NOT_A_NUMBER -> {}
            }
        }
        return others.failed(request, failure);
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return others.wrongMethod(request, allowed);
    }
}
