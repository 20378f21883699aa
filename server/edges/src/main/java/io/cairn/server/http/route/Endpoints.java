package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletionStage;

/**
 * Declares endpoints whose failures are worded in the same way. Immutable.
 *
 * <pre>{@code
 * endpoints.post("/v3/admin/cs/config",
 *         Operation.of(PublishForm.V3)
 *                 .needs(Right.config(Action.WRITE, PublishForm::key))
 *                 .answers("boolean")
 *                 .says("Publishes a content"),
 *         this::publish);
 * }</pre>
 */
public final class Endpoints {

    private final HttpErrors errors;

    public Endpoints(HttpErrors errors) {
        this.errors = errors;
    }

    /** Answers the requests of one endpoint. Called on an event loop, so it must not block. */
    @FunctionalInterface
    public interface Action<T> {

        /**
         * The response, now or later; the endpoint's {@link HttpErrors} turn an exception into one.
         *
         * @param http the raw request, for its {@linkplain RequestCaller caller} and values outside the form
         */
        CompletionStage<HttpResponse> handle(T request, HttpRequest http);
    }

    public <T> HttpRoute get(String path, Operation<T> operation, Action<T> action) {
        return route("GET", path, operation, action);
    }

    public HttpRoute get(String path, Operation<HttpRequest> operation, HttpEndpoint endpoint) {
        return route("GET", path, operation, (request, http) -> endpoint.handle(http));
    }

    public <T> HttpRoute post(String path, Operation<T> operation, Action<T> action) {
        return route("POST", path, operation, action);
    }

    public HttpRoute post(String path, Operation<HttpRequest> operation, HttpEndpoint endpoint) {
        return route("POST", path, operation, (request, http) -> endpoint.handle(http));
    }

    public <T> HttpRoute put(String path, Operation<T> operation, Action<T> action) {
        return route("PUT", path, operation, action);
    }

    public HttpRoute put(String path, Operation<HttpRequest> operation, HttpEndpoint endpoint) {
        return route("PUT", path, operation, (request, http) -> endpoint.handle(http));
    }

    public <T> HttpRoute patch(String path, Operation<T> operation, Action<T> action) {
        return route("PATCH", path, operation, action);
    }

    public HttpRoute patch(String path, Operation<HttpRequest> operation, HttpEndpoint endpoint) {
        return route("PATCH", path, operation, (request, http) -> endpoint.handle(http));
    }

    public <T> HttpRoute delete(String path, Operation<T> operation, Action<T> action) {
        return route("DELETE", path, operation, action);
    }

    public HttpRoute delete(String path, Operation<HttpRequest> operation, HttpEndpoint endpoint) {
        return route("DELETE", path, operation, (request, http) -> endpoint.handle(http));
    }

    private <T> HttpRoute route(String method, String path, Operation<T> operation, Action<T> action) {
        return new HttpRoute(method, path, errors, new Handling<>(operation, action, null, null));
    }
}
