package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.HttpErrors;

/** Words failures of configuration endpoints: a missing parameter is a server failure (500), as in Nacos. */
final class V1RequiredErrors implements HttpErrors {

    private final V1ConfigErrors others = new V1ConfigErrors();

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        return failure instanceof ParameterException parameter
                        && parameter.problem() == ParameterException.Problem.MISSING
                ? V1ConfigErrors.missing(parameter.parameter(), type(parameter.parameter()))
                : others.failed(request, failure);
    }

    /** The type that Nacos has for a parameter. */
    private static String type(String parameter) {
        return switch (parameter) {
            case "pageNo", "pageSize" -> "int";
            case "nid", "id" -> "Long";
            default -> "String";
        };
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return others.wrongMethod(request, allowed);
    }
}
