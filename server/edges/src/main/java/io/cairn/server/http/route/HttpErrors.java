package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;

/** Words the failures of one version. */
public interface HttpErrors {

    HttpResponse failed(HttpRequest request, CairnException failure);

    HttpResponse wrongMethod(HttpRequest request, String allowed);
}
