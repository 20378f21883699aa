package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.change.Visibility;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.RequestHandler;
import io.cairn.server.limit.Limit;
import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the endpoint of a request and guarantees an answer. {@linkplain #routes} are all endpoints. */
public final class HttpRouter implements RequestHandler {

    /** A larger body is read on the work pool instead of the event loop. */
    static final int LARGE_BODY_BYTES = 256 * 1024;

    private static final int TOO_LARGE = 413;
    private static final String SUBTREE = "/**";
    private static final Logger log = LoggerFactory.getLogger(HttpRouter.class);

    private final String contextPath;
    private final ContainerErrors containerErrors;
    private final Executor work;
    private final Map<String, Map<String, Target>> exact = new HashMap<>();
    private final Map<String, Map<String, Target>> subtrees = new HashMap<>();
    /** Routes with paths known at run time only. */
    private final List<Computed> computed = new ArrayList<>();

    private final List<HttpRoute> routes;
    private final HttpAuthorizer authorizer;
    private final Limit bodies;

    /**
     * @param work a bounded pool that reads large bodies
     * @param rows a bounded pool that reads the rows of long lists while their response is sent
     * @param audit records operations outside the store
     * @param barrier has the number of nodes that show a change
     * @param bodies counts too large bodies
     */
    public HttpRouter(
            RouteTable table,
            MeterRegistry meters,
            Executor work,
            Executor rows,
            HttpAuthorizer authorizer,
            HttpAudit audit,
            VisibilityBarrier barrier,
            Limit bodies) {
        this.contextPath = table.contextPath();
        this.containerErrors = table.errors();
        this.work = work;
        this.authorizer = authorizer;
        this.bodies = bodies;
        this.routes = table.routes();
        for (HttpRoute route : routes) {
            Predicate<String> served = route.served();
            if (served != null) {
                computed.add(new Computed(
                        served,
                        Map.of(
                                route.method(),
                                new Target(route, authorizer, audit, containerErrors, meters, barrier, rows))));
                continue;
            }
            boolean isSubtree = route.path().endsWith(SUBTREE);
            String path = (route.atRoot() ? "" : contextPath)
                    + (isSubtree ? route.path().substring(0, route.path().length() - SUBTREE.length()) : route.path());
            Map<String, Target> methods = (isSubtree ? subtrees : exact).computeIfAbsent(path, p -> new TreeMap<>());
            if (methods.put(
                            route.method(),
                            new Target(route, authorizer, audit, containerErrors, meters, barrier, rows))
                    != null) {
                throw new IllegalArgumentException("two endpoints for " + route.method() + ' ' + route.path());
            }
        }
    }

    public List<HttpRoute> routes() {
        return routes;
    }

    @Override
    public CompletionStage<HttpResponse> route(HttpRequest request) {
        Map<String, Target> methods = find(request.path());
        if (methods == null) {
            return CompletableFuture.completedFuture(unknown(request));
        }
        Target target = methods.get(request.method().equals("HEAD") ? "GET" : request.method());
        if (target == null && request.method().equals("OPTIONS")) {
            return CompletableFuture.completedFuture(options(methods));
        }
        if (target == null) {
            HttpErrors errors = methods.values().iterator().next().route.errors();
            return CompletableFuture.completedFuture(errors.wrongMethod(request, String.join(", ", methods.keySet())));
        }
        bodies.allows(request.body().length);
        if (request.body().length <= LARGE_BODY_BYTES) {
            return target.handle(request);
        }
        CompletableFuture<HttpResponse> response = new CompletableFuture<>();
        try {
            work.execute(() -> target.handle(request).whenComplete((sent, failure) -> {
                if (failure == null) {
                    response.complete(sent);
                } else {
                    response.completeExceptionally(failure);
                }
            }));
            return response;
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(target.failed(
                    request,
                    new CairnException(
                            ErrorCode.BUSY, "Too many large requests are being read; try again shortly", e)));
        }
    }

    @Override
    public boolean takesUpload(String method, String target) {
        Map<String, Target> methods = method.equals("POST") ? find(HttpRequest.pathOf(target)) : null;
        Target found = methods == null ? null : methods.get(method);
        return found != null && found.route.operation().form().body() == Form.Body.UPLOAD;
    }

    private @Nullable Map<String, Target> find(String path) {
        Map<String, Target> methods = exact.get(path);
        if (methods == null && path.length() > 1 && path.endsWith("/")) {
            methods = exact.get(path.substring(0, path.length() - 1));
        }
        for (int slash = path.length(); methods == null && slash >= 0; slash = path.lastIndexOf('/', slash - 1)) {
            methods = subtrees.get(path.substring(0, slash));
        }
        for (int i = 0; methods == null && i < computed.size(); i++) {
            methods = computed.get(i).served.test(path) ? computed.get(i).methods : null;
        }
        return methods;
    }

    /** The methods of a path. Never allows other origins: a browser must send its credentials to this origin alone. */
    private static HttpResponse options(Map<String, Target> methods) {
        Set<String> allowed = new LinkedHashSet<>(methods.keySet());
        if (allowed.contains("GET")) {
            allowed.add("HEAD");
        }
        allowed.add("OPTIONS");
        return HttpResponse.status(200)
                .header("Allow", String.join(",", allowed))
                .notCached()
                .body(new byte[0]);
    }

    private HttpResponse unknown(HttpRequest request) {
        authorizer.misfits().unknownPath(request, contextPath);
        if (request.path().startsWith(contextPath)) {
            return containerErrors.unknownPath(request);
        }
        return HttpResponse.of(
                404,
                "text/html;charset=utf-8",
                "<!doctype html><title>404 Not Found</title><h1>404 Not Found</h1><p>Cairn is served below "
                        + contextPath + "/.</p>");
    }

    @Override
    public HttpResponse unreadable(HttpRequest request, int status, String message) {
        if (status == TOO_LARGE) {
            bodies.allows(bodies.max() + 1);
            return containerErrors.answer(
                    request,
                    status,
                    message + " (limit " + bodies.name() + ", " + bodies.setting() + ")",
                    HttpResponse.JSON);
        }
        return containerErrors.answer(request, status, message, HttpResponse.JSON);
    }

    private record Computed(Predicate<String> served, Map<String, Target> methods) {}

    private static final class Target {

        private final HttpRoute route;
        private final HttpAuthorizer authorizer;
        private final HttpAudit audit;
        private final ContainerErrors containerErrors;
        private final MeterRegistry meters;
        private final VisibilityBarrier barrier;
        private final Executor rows;
        /** Registered with the first answer: most routes are never used, and each is many series. */
        private volatile @Nullable Timer ok;

        Target(
                HttpRoute route,
                HttpAuthorizer authorizer,
                HttpAudit audit,
                ContainerErrors containerErrors,
                MeterRegistry meters,
                VisibilityBarrier barrier,
                Executor rows) {
            this.route = route;
            this.authorizer = authorizer;
            this.audit = audit;
            this.containerErrors = containerErrors;
            this.meters = meters;
            this.barrier = barrier;
            this.rows = rows;
        }

        private Timer timer(int status) {
            return meters.timer(
                    MeterNames.HTTP_REQUESTS,
                    "route",
                    route.method() + ' ' + (route.path().isEmpty() ? "/" : route.path()),
                    "status",
                    Integer.toString(status));
        }

        private Timer ok() {
            Timer known = ok;
            if (known == null) {
                known = timer(200);
                ok = known;
            }
            return known;
        }

        CompletionStage<HttpResponse> handle(HttpRequest request) {
            long start = System.nanoTime();
            CompletionStage<HttpResponse> stage;
            try {
                stage = authorizer.pass(request, route, containerErrors);
                Function<HttpRequest, HttpAudit.@Nullable Done> recorded =
                        route.operation().recorded();
                if (recorded != null) {
                    stage = audit.recorded(request, recorded, stage);
                }
            } catch (RuntimeException | Error e) {
                // Also for a parser without stack or memory: the request would wait forever.
                stage = CompletableFuture.failedFuture(e);
            }
            if (route.operation().answersRevision()) {
                stage = stage.thenApply(response -> withRevision(request, response));
            }
            stage = written(request, stage);
            if (stage instanceof CompletableFuture<HttpResponse> future
                    && future.isDone()
                    && !future.isCompletedExceptionally()
                    && request.staleSeconds() == 0) {
                record(start, future.join());
                return stage;
            }
            return stage.handle((response, failure) -> {
                HttpResponse sent = withAge(request, failure == null ? response : failed(request, failure));
                record(start, sent);
                return sent;
            });
        }

        private static HttpResponse withAge(HttpRequest request, HttpResponse response) {
            long seconds = request.staleSeconds();
            return seconds == 0 ? response : response.with(RevisionHeaders.STALE, Long.toString(seconds));
        }

        /** The response with its body, which may be pending. */
        private CompletionStage<HttpResponse> written(HttpRequest request, CompletionStage<HttpResponse> stage) {
            if (stage instanceof CompletableFuture<HttpResponse> future
                    && future.isDone()
                    && !future.isCompletedExceptionally()) {
                return written(request, future.join(), stage);
            }
            return stage.thenCompose(
                    response -> written(request, response, CompletableFuture.completedFuture(response)));
        }

        private CompletionStage<HttpResponse> written(
                HttpRequest request, HttpResponse response, CompletionStage<HttpResponse> same) {
            if (!response.isPending()) {
                return same;
            }
            try {
                return response.written(request.lease(), rows);
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private HttpResponse withRevision(HttpRequest request, HttpResponse response) {
            long revision = request.storedRevision();
            if (revision == 0) {
                return response;
            }
            HttpResponse told = response.with(RevisionHeaders.REVISION, Long.toString(revision));
            Visibility visibility = barrier.visibility(revision);
            return visibility == null ? told : told.with(RevisionHeaders.VISIBLE, visibility.toString());
        }

        private void record(long start, HttpResponse response) {
            if (!route.isLongPoll()) {
                Timer timer = response.status() == 200 ? ok() : timer(response.status());
                timer.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
            }
        }

        HttpResponse failed(HttpRequest request, Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof CairnException known) {
                return route.errors().failed(request, known);
            }
            if (cause instanceof RejectedExecutionException) {
                return route.errors()
                        .failed(
                                request,
                                new CairnException(
                                        ErrorCode.BUSY, "Too many requests are waiting; try again shortly", cause));
            }
            log.error("{} {} failed on a defect of the server", request.method(), request.path(), cause);
            return route.errors().failed(request, new CairnException(ErrorCode.INTERNAL, cause.toString(), cause));
        }
    }
}
