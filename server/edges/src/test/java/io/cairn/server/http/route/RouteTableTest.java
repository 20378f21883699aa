package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.change.CatchUp;
import io.cairn.server.change.Following;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RouteTableTest {

    private final ContainerErrors errors = new ContainerErrors(Clock.systemUTC());
    private final HttpRoutes configs = HttpRoutes.of(List.of(route("/v3/admin/configs")), List.of(route("/v1/configs")))
            .withConsole(List.of(route("/v3/console/configs")))
            .withConsole(List.of(route("/v3/console/history")));
    private final HttpRoutes limits = HttpRoutes.of(List.of(route("/v3/admin/limits")));

    /** A server whose database is empty. */
    private record NothingStored() implements RevisionFollower {

        @Override
        public void wake(long revision) {}

        @Override
        public long appliedRevision() {
            return 0;
        }

        @Override
        public void follow(Listener listener) {}
    }

    private HttpRoute route(String path) {
        return new Endpoints(errors)
                .get(
                        path,
                        Operation.unlisted(Right.open()),
                        request -> CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, "")));
    }

    private RouteTable table(String contextPath) {
        return RouteTable.of(
                contextPath,
                List.of(configs, limits),
                "1.0",
                new RevisionGate(new NothingStored(), new Following(), null, Duration.ofSeconds(1), CatchUp.NOT_NEEDED),
                errors);
    }

    private static List<String> paths(RouteTable table, boolean atRoot) {
        return table.routes().stream()
                .filter(route -> route.atRoot() == atRoot)
                .map(HttpRoute::path)
                .toList();
    }

    @Test
    void collectsTheRoutesOfAllPartsAndAddsTheReference() {
        assertThat(paths(table("/nacos"), false))
                .containsExactly(
                        "/v3/admin/configs",
                        "/v1/configs",
                        "/v3/console/configs",
                        "/v3/console/history",
                        "/v3/admin/limits",
                        "/v3/openapi.json");
    }

    @Test
    void servesTheRoutesOfConsolesBesideTheContextPath() {
        assertThat(paths(table("/nacos"), true)).containsExactly("/v3/console/configs", "/v3/console/history");
    }

    @Test
    void servesEachRouteOnceWithoutAContextPath() {
        assertThat(paths(table(""), true)).isEmpty();
        assertThat(paths(table(""), false)).doesNotHaveDuplicates().hasSize(6);
    }
}
