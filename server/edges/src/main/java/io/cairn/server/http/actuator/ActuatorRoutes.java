package io.cairn.server.http.actuator;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.ProducibleOperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.MissingParametersException;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the read operations of Spring Boot's exposed actuator endpoints on Cairn's router: below the context path, as Nacos does,
 * and beside it, as Spring Boot does.
 */
public final class ActuatorRoutes {

    private static final String CONTENT_TYPE = "application/vnd.spring-boot.actuator.v3+json";

    private final String basePath;
    private final Endpoints endpoints;
    private final ActuatorAccess access;
    private final JsonMapper json;
    private final Executor work;
    private final boolean showHealthDetails;
    private final Writes writes;

    /** Whether the server accepts writes at present. */
    public interface Writes {

        boolean areAccepted();

        /** Additional members of health answers while writes are refused; else empty. */
        Map<String, Object> degraded();
    }

    /** @param work a bounded pool, because endpoints may block */
    public ActuatorRoutes(
            String basePath,
            HttpErrors errors,
            ActuatorAccess access,
            JsonMapper json,
            Executor work,
            boolean showHealthDetails,
            Writes writes) {
        this.basePath = basePath;
        this.endpoints = new Endpoints(errors);
        this.access = access;
        this.json = json;
        this.work = work;
        this.showHealthDetails = showHealthDetails;
        this.writes = writes;
    }

    public List<HttpRoute> routes(Collection<ExposableWebEndpoint> exposed) {
        List<HttpRoute> routes = new ArrayList<>();
        for (ExposableWebEndpoint endpoint : exposed) {
            for (WebOperation operation : endpoint.getOperations()) {
                if (operation.getType() == OperationType.READ) {
                    HttpRoute route = route(operation);
                    routes.add(route);
                    routes.add(route.besideContextPath());
                }
            }
            if (endpoint.getRootPath().equals("health")) {
                HttpRoute route = get(
                        basePath + "/health/writes",
                        request -> CompletableFuture.completedFuture(
                                health(writes.areAccepted() ? Status.UP : Status.OUT_OF_SERVICE)));
                routes.add(route);
                routes.add(route.besideContextPath());
            }
        }
        return routes;
    }

    private HttpRoute route(WebOperation operation) {
        String path = operation.getRequestPredicate().getPath();
        int variable = path.indexOf("/{");
        if (variable < 0) {
            return get(basePath + '/' + path, request -> invoke(operation, request, Map.of()));
        }
        String prefix = basePath + '/' + path.substring(0, variable);
        String template = path.substring(variable + 1);
        return get(prefix + "/**", request -> invoke(operation, request, variables(request, prefix, template)));
    }

    private HttpRoute get(String path, HttpEndpoint endpoint) {
        return endpoints.get(path, access.of(path), endpoint);
    }

    /** The template's variables in the path of the request. */
    private static Map<String, Object> variables(HttpRequest request, String prefix, String template) {
        String rest = request.path().substring(request.path().indexOf(prefix) + prefix.length());
        String[] values = rest.startsWith("/") ? rest.substring(1).split("/") : new String[0];
        String[] names = template.split("/");
        Map<String, Object> variables = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            String name = names[i].replaceAll("[{}*]", "");
            if (names[i].startsWith("{*")) {
                variables.put(name, values);
            } else if (i < values.length) {
                variables.put(name, values[i]);
            }
        }
        return variables;
    }

    private CompletionStage<HttpResponse> invoke(
            WebOperation operation, HttpRequest request, Map<String, Object> variables) {
        try {
            return CompletableFuture.supplyAsync(() -> answer(operation, request, variables), work);
        } catch (RejectedExecutionException e) {
            throw new CairnException(ErrorCode.BUSY, "Too many requests are waiting; try again shortly", e);
        }
    }

    private HttpResponse answer(WebOperation operation, HttpRequest request, Map<String, Object> variables) {
        String accept = request.header("Accept");
        InvocationContext context = new InvocationContext(
                SecurityContext.NONE,
                variables,
                new ProducibleOperationArgumentResolver(() -> accept == null ? List.of() : List.of(accept)));
        Object result;
        try {
            result = operation.invoke(context);
        } catch (MissingParametersException e) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, String.valueOf(e.getMessage()), e);
        }
        if (result == null) {
            throw new CairnException(ErrorCode.NOT_FOUND, "There is nothing at " + request.path());
        }
        if (result instanceof HealthDescriptor health) {
            return health(health);
        }
        if (result instanceof WebEndpointResponse<?> response) {
            String type = response.getContentType() == null
                    ? CONTENT_TYPE
                    : response.getContentType().toString();
            return HttpResponse.status(response.getStatus()).contentType(type).body(bytes(response.getBody()));
        }
        return HttpResponse.status(200).contentType(CONTENT_TYPE).body(bytes(result));
    }

    private HttpResponse health(HealthDescriptor health) {
        return showHealthDetails
                ? HttpResponse.status(statusOf(health.getStatus()))
                        .contentType(CONTENT_TYPE)
                        .body(bytes(health))
                : health(health.getStatus());
    }

    private HttpResponse health(Status status) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("status", status.getCode());
        body.putAll(writes.degraded());
        return HttpResponse.status(statusOf(status)).contentType(CONTENT_TYPE).body(bytes(body));
    }

    private static int statusOf(Status status) {
        return Status.DOWN.equals(status) || Status.OUT_OF_SERVICE.equals(status) ? 503 : 200;
    }

    private byte[] bytes(@Nullable Object body) {
        if (body instanceof byte[] bytes) {
            return bytes;
        }
        try {
            return body instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : json.writeValueAsBytes(body);
        } catch (JacksonException e) {
            throw new CairnException(ErrorCode.INTERNAL, "The answer cannot be written as JSON: " + e.getMessage(), e);
        }
    }
}
