package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;

/** How one version of the API words its failures. */
public interface HttpErrors {

    /** The answer to a request that was refused or failed. */
    HttpResponse failed(HttpRequest request, CairnException failure);

    /** The answer to a method that the path does not have. */
    HttpResponse wrongMethod(HttpRequest request, String allowed);
}
