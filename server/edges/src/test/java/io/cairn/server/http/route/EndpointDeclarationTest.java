package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class EndpointDeclarationTest {

    private static final Parameter<String> NAME = Parameter.text("name", "The name of the guest");

    private static final Operation<String> GREET = Operation.of(
                    Form.of(NAME.required()).as(NAME::of))
            .needs(Right.admin())
            .answers("string")
            .recordedAs(request -> new HttpAudit.Done("greet", "", null))
            .says("Greets");

    private final Endpoints endpoints = new Endpoints(new ContainerErrors(Clock.systemUTC()));

    private static HttpRequest request(String query) {
        return HttpRequest.to(
                "GET", "/greeting?" + query, EmptyHttpHeaders.INSTANCE::get, new byte[0], "127.0.0.1", Runnable::run);
    }

    private static CompletionStage<HttpResponse> text(String text) {
        return CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, text));
    }

    private static String answer(HttpRoute route, String query) {
        return route.handle(request(query)).toCompletableFuture().join().bodyText();
    }

    @Test
    void actionGetsTheTypedRequest() {
        HttpRoute route = endpoints.get("/greeting", GREET, (name, http) -> text("Hello, " + name));
        assertThat(answer(route, "name=Ada")).isEqualTo("Hello, Ada");
        assertThatThrownBy(() -> answer(route, "")).isInstanceOf(ParameterException.class);
    }

    @Test
    void refusalComesBeforeTheRequestIsRead() {
        HttpRoute route = endpoints
                .get("/greeting", GREET, (name, http) -> text("Hello, " + name))
                .behind(request -> NAME.named("late").isIn(request) ? text("closed") : null);
        assertThat(answer(route, "late=1")).isEqualTo("closed");
        assertThat(answer(route, "name=Ada")).isEqualTo("Hello, Ada");
    }

    @Test
    void operationOfAnotherVersionKeepsRightSentenceAndAudit() {
        Operation<String> other = GREET.readBy(Form.of(NAME.named("guest")).as(NAME.named("guest")::of))
                .as(Operation.Wrapping.TEXT)
                .answers("null");
        assertThat(other.right()).isSameAs(GREET.right());
        assertThat(other.sentence()).isEqualTo("Greets");
        assertThat(other.isRecorded()).isTrue();
        assertThat(other.wrapping()).isEqualTo(Operation.Wrapping.TEXT);
        assertThat(other.answer()).isEqualTo(Answer.of("null"));
        HttpRoute route = endpoints.get("/greeting", other, (name, http) -> text("Hello, " + name));
        assertThat(answer(route, "guest=Bob")).isEqualTo("Hello, Bob");
    }

    @Test
    void formChecksTheRequestThatItRead() {
        Form<String> shouting = GREET.form().then(name -> {
            if (name.isEmpty() || !Character.isUpperCase(name.charAt(0))) {
                throw ParameterException.refused("name", "must begin with a capital");
            }
            return name;
        });
        assertThat(shouting.read(request("name=Ada"))).isEqualTo("Ada");
        assertThatThrownBy(() -> shouting.read(request("name=ada"))).isInstanceOf(ParameterException.class);
    }

    private record Page(int number) {}

    private static final class Elsewhere {
        private record Page(String text) {}
    }

    private HttpRoute answering(String path, Class<? extends Record> shape) {
        Operation<HttpRequest> operation =
                Operation.of(Form.NONE).needs(Right.open()).answers(shape).says("Shows");
        return endpoints.get(path, operation, request -> text("x"));
    }

    @Test
    void referenceRefusesTwoResponsesOfOneName() {
        OpenApiDocument document = new OpenApiDocument("", "1");
        List<HttpRoute> one = List.of(answering("/v3/a", Page.class), answering("/v3/b", Page.class));
        assertThat(document.of(one)).contains("#/components/schemas/Page");
        List<HttpRoute> two = List.of(answering("/v3/a", Page.class), answering("/v3/b", Elsewhere.Page.class));
        assertThatThrownBy(() -> document.of(two))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Elsewhere$Page");
    }
}
