package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;

/** How one version of the API words its failures. */
public interface HttpErrors {

    /** The answer to a request that was refused or failed. */
    HttpAnswer failed(HttpCall call, CairnException failure);

    /** The answer to a method that the path does not have. */
    HttpAnswer wrongMethod(HttpCall call, String allowed);
}
