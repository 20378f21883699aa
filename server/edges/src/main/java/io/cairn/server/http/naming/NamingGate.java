package io.cairn.server.http.naming;

import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.Switches;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps requests away from the registry while an operator has switched it off, or the path of the request. */
public final class NamingGate {

    private static final String PEER = "Nacos-Server";

    private final Switches switches;

    public NamingGate(Switches switches) {
        this.switches = switches;
    }

    /** The same routes behind the gate. */
    public List<HttpRoute> before(List<HttpRoute> routes) {
        return routes.stream()
                .map(route -> route.withEndpoint(before(route.endpoint())))
                .toList();
    }

    private HttpEndpoint before(HttpEndpoint endpoint) {
        return call -> {
            CompletionStage<HttpAnswer> refusal = refusal(call);
            return refusal == null ? endpoint.handle(call) : refusal;
        };
    }

    private @Nullable CompletionStage<HttpAnswer> refusal(HttpCall call) {
        Map<String, Integer> limited = switches.limitedUrls();
        if (!limited.isEmpty()) {
            for (Map.Entry<String, Integer> limit : limited.entrySet()) {
                if (call.path().startsWith(limit.getKey())) {
                    return CompletableFuture.completedFuture(
                            HttpAnswer.status(limit.getValue()).withoutBody());
                }
            }
        }
        Switches.ServerStatus status = switches.overriddenStatus();
        if (status == null || isServed(status, call)) {
            return null;
        }
        return CompletableFuture.completedFuture(
                HttpAnswer.of(503, HttpAnswer.TEXT, "server is " + status + "now, please try again later!"));
    }

    private static boolean isServed(Switches.ServerStatus status, HttpCall call) {
        boolean isRead = call.method().equals("GET") || call.method().equals("HEAD");
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
        String agent = call.header("User-Agent");
        return agent != null && agent.startsWith(PEER);
    }
}
