package io.cairn.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The files of the web console, from its jar on the class path; without that jar there is no console. */
public final class ConsoleFiles {

    private static final String FOLDER = "/io/cairn/console/";
    private static final String POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

    private final HttpErrors errors;
    private final String contextPath;

    public ConsoleFiles(HttpErrors errors, String contextPath) {
        this.errors = errors;
        this.contextPath = contextPath;
    }

    public List<HttpRoute> routes() {
        List<HttpRoute> routes = new ArrayList<>();
        add(routes, "/", "index.html", "text/html;charset=utf-8");
        add(routes, "/console.css", "console.css", "text/css;charset=utf-8");
        add(routes, "/console.js", "console.js", "text/javascript;charset=utf-8");
        if (!routes.isEmpty() && !contextPath.isEmpty()) {
            // Without the slash the page would look for its files one level too high.
            HttpAnswer redirect =
                    HttpAnswer.status(302).header("Location", contextPath + "/").withoutBody();
            routes.add(HttpRoute.get("", errors, call -> CompletableFuture.completedFuture(redirect)));
        }
        return routes;
    }

    private void add(List<HttpRoute> routes, String path, String file, String contentType) {
        byte[] bytes = read(file);
        if (bytes == null) {
            return;
        }
        CompletionStage<HttpAnswer> answer = CompletableFuture.completedFuture(HttpAnswer.status(200)
                .header("Cache-Control", "no-cache")
                .header("Content-Security-Policy", POLICY)
                .header("X-Content-Type-Options", "nosniff")
                .contentType(contentType)
                .body(bytes));
        routes.add(HttpRoute.get(path, errors, call -> answer));
    }

    private static byte @Nullable [] read(String file) {
        try (InputStream in = ConsoleFiles.class.getResourceAsStream(FOLDER + file)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("console file " + file + " cannot be read", e);
        }
    }
}
