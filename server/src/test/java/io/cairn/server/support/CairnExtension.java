package io.cairn.server.support;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.CairnServer;
import io.cairn.server.TimedServer;
import io.cairn.server.wiring.settings.InternalTimings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server on a temporary folder and a free pair of ports, for the tests of one class. */
public final class CairnExtension implements BeforeAllCallback, AfterAllCallback {

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();
    /** A write of a test is answered also when the JVM stood still for seconds. */
    private InternalTimings timings = InternalTimings.PRODUCTION.withCallerWaits(PATIENCE);

    private CairnServer server;

    private CairnExtension() {}

    public static CairnExtension temporary() {
        return new CairnExtension();
    }

    public CairnExtension with(String setting, String value) {
        settings.put(setting, value);
        return this;
    }

    /** Changes internal timings that no setting reaches. */
    public CairnExtension timed(UnaryOperator<InternalTimings> change) {
        timings = change.apply(timings);
        return this;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        CairnServer.Builder builder = TimedServer.builder(timings).temporary();
        settings.forEach(builder::setting);
        server = builder.start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (server != null) {
            server.close();
        }
    }

    public CairnServer server() {
        return server;
    }

    /** A connection of its own that is not set up yet. */
    public WireClient newTransport() {
        return WireClient.connect("127.0.0.1", server.grpcPort());
    }

    /** That of a client whose library calls itself so. */
    public WireClient newTransport(String userAgent) {
        return WireClient.connect("127.0.0.1", server.grpcPort(), userAgent);
    }

    /** A connection of its own that is set up, like the Go SDK's: without ability negotiation. */
    public WireClient newClient() {
        WireClient client = newTransport();
        client.setUp();
        return client;
    }

    public URI uri(String pathBelowContext) {
        return URI.create("http://" + server.address() + "/nacos" + pathBelowContext);
    }

    public HttpResponse<String> get(String pathBelowContext) {
        return send(HttpRequest.newBuilder(uri(pathBelowContext)).GET());
    }

    public HttpResponse<String> delete(String pathBelowContext) {
        return send(HttpRequest.newBuilder(uri(pathBelowContext)).DELETE());
    }

    /** Posts a form; {@code headers} alternate between name and value. */
    public HttpResponse<String> post(String pathBelowContext, Map<String, String> form, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(pathBelowContext))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(encode(form)));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public HttpClient http() {
        return http;
    }

    public static String encode(Map<String, String> form) {
        return form.entrySet().stream()
                .map(field -> field.getKey() + '=' + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }
}
