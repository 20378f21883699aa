package io.cairn.server.http.route;

import org.jspecify.annotations.Nullable;

/**
 * One method of one path.
 *
 * @param method in capitals
 * @param path below the context path, starting with a slash; one that ends in {@code /**} stands for all below it
 * @param atRoot whether the path is served beside the context path instead of below it
 * @param isLongPoll whether an answer may take long by design, and is left out of the latencies
 * @param operation what it takes and answers; null for what is no part of the API, such as the console's files
 */
public record HttpRoute(
        String method,
        String path,
        HttpErrors errors,
        HttpEndpoint endpoint,
        boolean isLongPoll,
        boolean atRoot,
        @Nullable Operation operation) {

    public static HttpRoute get(String path, HttpErrors errors, HttpEndpoint endpoint) {
        return new HttpRoute("GET", path, errors, endpoint, false, false, null);
    }

    public static HttpRoute post(String path, HttpErrors errors, HttpEndpoint endpoint) {
        return new HttpRoute("POST", path, errors, endpoint, false, false, null);
    }

    public static HttpRoute put(String path, HttpErrors errors, HttpEndpoint endpoint) {
        return new HttpRoute("PUT", path, errors, endpoint, false, false, null);
    }

    public static HttpRoute patch(String path, HttpErrors errors, HttpEndpoint endpoint) {
        return new HttpRoute("PATCH", path, errors, endpoint, false, false, null);
    }

    public static HttpRoute delete(String path, HttpErrors errors, HttpEndpoint endpoint) {
        return new HttpRoute("DELETE", path, errors, endpoint, false, false, null);
    }

    /** The same route as one whose answers may take long. */
    public HttpRoute longPoll() {
        return new HttpRoute(method, path, errors, endpoint, true, atRoot, operation);
    }

    /** The same route, served beside the context path. */
    public HttpRoute besideContextPath() {
        return new HttpRoute(method, path, errors, endpoint, isLongPoll, true, operation);
    }

    /** The same route with another endpoint before or in the place of its own. */
    public HttpRoute withEndpoint(HttpEndpoint other) {
        return new HttpRoute(method, path, errors, other, isLongPoll, atRoot, operation);
    }

    /** The same route, with what it takes and answers. */
    public HttpRoute does(Operation described) {
        return new HttpRoute(method, path, errors, endpoint, isLongPoll, atRoot, described);
    }
}
