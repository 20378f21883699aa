package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.wiring.CairnApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reference of the API says what the server does. */
class OpenApiIT {

    private static final Path CHECKED_IN = Path.of("..", "docs", "reference", "openapi.json");

    @TempDir
    static Path home;

    private static CairnApplication.Running server;

    @BeforeAll
    static void start() {
        server = CairnApplication.start(Map.of(), List.of("--server.port=0", "--cairn.home=" + home));
    }

    @AfterAll
    static void stop() {
        server.context().close();
    }

    private static List<HttpRoute> routes() {
        return server.context().getBean(HttpRouter.class).routes();
    }

    @Test
    void everyRouteDeclaresParametersAndResponse() {
        List<String> undeclared = routes().stream()
                .filter(route ->
                        OpenApiDocument.isApi(route) && route.operation().sentence() == null)
                .map(route -> route.method() + ' ' + route.path())
                .toList();
        assertThat(undeclared).isEmpty();
    }

    @Test
    void theCheckedInReferenceIsTheOneOfTheCode() throws IOException {
        String document = new OpenApiDocument("/nacos", "1").of(routes());
        if (Boolean.getBoolean("cairn.openapi.write")) {
            Files.createDirectories(CHECKED_IN.getParent());
            Files.writeString(CHECKED_IN, document);
        }
        assertThat(Files.readString(CHECKED_IN))
                .as("write it anew with -Dcairn.openapi.write=true")
                .isEqualTo(document);
    }

    @Test
    void endpointsReadOnlyDeclaredParameters() {
        TreeSet<String> undeclared = new TreeSet<>();
        for (HttpRoute route : routes()) {
            Operation<?> operation = route.operation();
            if (route.isLongPoll()) {
                continue;
            }
            List<String> names = new ArrayList<>();
            operation.parameters().stream()
                    .filter(parameter -> !parameter.inHeader())
                    .forEach(parameter -> names.add(parameter.name()));
            for (RecordedCall call : RecordedCall.variants(route)) {
                call.answer(route).stream()
                        .filter(name -> !names.contains(name))
                        .forEach(name -> undeclared.add(route.method() + ' ' + route.path() + ": " + name));
            }
        }
        assertThat(undeclared).isEmpty();
    }
}
