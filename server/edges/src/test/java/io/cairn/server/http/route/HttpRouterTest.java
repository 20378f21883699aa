package io.cairn.server.http.route;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.limit.Limit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpRouterTest {

    private final ExecutorService work = Executors.newSingleThreadExecutor();

    @AfterEach
    void stopIt() {
        work.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, HttpRouter.LARGE_BODY_BYTES + 1})
    void answersARequestThatOverflowsTheStack(int bodyBytes) throws Exception {
        ContainerErrors errors = new ContainerErrors(Clock.systemUTC());
        List<HttpRoute> routes =
                List.of(new Endpoints(errors).post("/deep", Operation.unlisted(Right.open()), request -> {
                    throw new StackOverflowError();
                }));
        HttpAuthorizer authorizer = new HttpAuthorizer(
                new AccessPolicy(false), null, null, new CrossOriginGuard(true, Set.of()), null, null);
        HttpRouter router = new HttpRouter(
                new RouteTable("", routes, errors),
                new SimpleMeterRegistry(),
                work,
                work,
                authorizer,
                new HttpAudit(null),
                VisibilityBarrier.ofSingleServer(),
                new Limit("body-bytes", "a setting", 1_000_000));
        HttpRequest request = HttpRequest.to(
                "POST", "/deep", EmptyHttpHeaders.INSTANCE::get, new byte[bodyBytes], "127.0.0.1", Runnable::run);

        HttpResponse response = router.route(request).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.bodyText()).contains("StackOverflowError");
    }
}
