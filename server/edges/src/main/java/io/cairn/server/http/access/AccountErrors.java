package io.cairn.server.http.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;

/** Words the failures of account endpoints in all versions: {@code caused: …;} as plain text. */
public final class AccountErrors implements HttpErrors {

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        if (failure instanceof ParameterException refused && refused.problem() == ParameterException.Problem.MISSING) {
            // As recorded from Nacos: status 500, escaped as for HTML.
            return caused(
                    500,
                    "Required request parameter &#39;" + refused.parameter()
                            + "&#39; for method parameter type String is not present");
        }
        return caused(ContainerErrors.status(failure.code()), failure.text());
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return caused(500, "Request method &#39;" + request.method() + "&#39; not supported");
    }

    static HttpResponse caused(int status, String message) {
        return HttpResponse.of(status, HttpResponse.TEXT, "caused: " + message + ";");
    }
}
