package io.cairn.server.http.naming;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.switches.Switches;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Refuses requests while an operator has switched off the registry, or their path. */
public final class MaintenanceMode {

    private static final String PEER = "Nacos-Server";

    private final Switches switches;

    public MaintenanceMode(Switches switches) {
        this.switches = switches;
    }

    public List<HttpRoute> before(List<HttpRoute> routes) {
        return routes.stream().map(route -> route.behind(this::refusal)).toList();
    }

    private @Nullable CompletionStage<HttpResponse> refusal(HttpRequest request) {
        Map<String, Integer> limited = switches.limitedUrls();
        if (!limited.isEmpty()) {
            for (Map.Entry<String, Integer> limit : limited.entrySet()) {
                if (request.path().startsWith(limit.getKey())) {
                    return CompletableFuture.completedFuture(
                            HttpResponse.status(limit.getValue()).withoutBody());
                }
            }
        }
        Switches.ServerStatus status = switches.overriddenStatus();
        if (status == null || isServed(status, request)) {
            return null;
        }
        return CompletableFuture.completedFuture(
                HttpResponse.of(503, HttpResponse.TEXT, "server is " + status + "now, please try again later!"));
    }

    private static boolean isServed(Switches.ServerStatus status, HttpRequest request) {
        boolean isRead = request.method().equals("GET") || request.method().equals("HEAD");
        boolean isServed =
                switch (status) {
                    case UP -> true;
                    case WRITE_ONLY -> !isRead;
                    case READ_ONLY -> isRead;
                    case DOWN, STARTING, PAUSED -> false;
                };
        if (isServed) {
            return true;
        }
        String agent = request.header("User-Agent");
        return agent != null && agent.startsWith(PEER);
    }
}
