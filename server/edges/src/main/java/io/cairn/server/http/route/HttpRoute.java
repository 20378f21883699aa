package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.auth.ApiKind;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One method of one path, or of paths known at run time only.
 *
 * @param method in capitals
 * @param path below the context path, with a leading slash; {@code /**} at the end stands for all below. With {@code served}, it
 *     describes the paths for the reference
 * @param isLongPoll whether answers take long by design, and are left out of the latencies
 * @param atRoot whether the path is beside the context path
 * @param served accepts paths of no other route; null for the path alone
 */
public record HttpRoute(
        String method,
        String path,
        HttpErrors errors,
        Handling<?> handling,
        boolean isLongPoll,
        boolean atRoot,
        @Nullable Predicate<String> served) {

    /** Paths, with all below, that the SDKs of all generations call. */
    private static final List<String> CLIENT_PATHS = List.of(
            "/v3/client",
            "/v1/cs/configs",
            "/v2/cs/config",
            "/v1/ns/instance",
            "/v2/ns/instance",
            "/v1/ns/service",
            "/v2/ns/service",
            "/v1/ns/health",
            "/v2/ns/health",
            "/v1/ns/operator/servers");

    HttpRoute(String method, String path, HttpErrors errors, Handling<?> handling) {
        this(method, path, errors, handling, false, false, null);
    }

    /** The callers for whom the path exists; administration unless a client of Nacos calls it. */
    ApiKind api() {
        if (path.startsWith("/v3/console/") || path.startsWith("/ui/")) {
            return ApiKind.CONSOLE;
        }
        for (String below : CLIENT_PATHS) {
            if (path.startsWith(below)
                    && (path.length() == below.length() || path.charAt(below.length()) == '/' || below.endsWith("/"))) {
                return atRoot ? ApiKind.ADMINISTRATION : ApiKind.CLIENT;
            }
        }
        return ApiKind.ADMINISTRATION;
    }

    public Operation<?> operation() {
        return handling.operation();
    }

    /** Answers a request without a check of its right. */
    CompletionStage<HttpResponse> handle(HttpRequest request) {
        return handling.handle(request);
    }

    public HttpRoute longPoll() {
        return new HttpRoute(method, path, errors, handling, true, atRoot, served);
    }

    public HttpRoute besideContextPath() {
        return new HttpRoute(method, path, errors, handling, isLongPoll, true, served);
    }

    /**
     * Answers some requests before they are read.
     *
     * @param refusal null for a request that the endpoint answers
     */
    public HttpRoute behind(Function<HttpRequest, @Nullable CompletionStage<HttpResponse>> refusal) {
        return new HttpRoute(method, path, errors, handling.behind(refusal), isLongPoll, atRoot, served);
    }

    /** Makes requests wait for their revision, where the operation takes that header. */
    public HttpRoute afterRevision(RevisionGate gate) {
        return operation().parameters().stream()
                        .anyMatch(parameter -> parameter.name().equals(RevisionHeaders.MIN_REVISION))
                ? new HttpRoute(method, path, errors, handling.afterRevision(gate), isLongPoll, atRoot, served)
                : this;
    }

    /**
     * Serves the accepted paths, beside the context path, as far as no other route does. The condition runs on event loops, for
     * each request of an unknown path.
     */
    public HttpRoute serving(Predicate<String> paths) {
        return new HttpRoute(method, path, errors, handling, isLongPoll, true, paths);
    }

    public String name() {
        return method + ' ' + path;
    }
}
