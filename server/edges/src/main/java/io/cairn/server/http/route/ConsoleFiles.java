package io.cairn.server.http.route;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.IssuerLogin;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of the web console, from its jar on the class path, if present. One page serves all views below {@code /ui}; its files
 * have digests in their names and may be cached forever.
 */
public final class ConsoleFiles {

    private static final String FOLDER = "/io/cairn/console/files/";
    private static final String ASSETS = "/assets/";
    private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}");
    private static final Map<String, String> CONTENT_TYPES = Map.of(
            "js", "text/javascript;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "woff2", "font/woff2");
    /** A path of this host: two slashes would name another host. */
    private static final Pattern PREFIX = Pattern.compile("(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]{0,99}){1,10}/?");

    private static final String FOR_EVER = "public, max-age=31536000, immutable";
    private static final int NONCE_BYTES = 18;

    private static final Operation<HttpRequest> READ = Operation.unlisted(Right.open());

    private final Endpoints endpoints;
    private final ContainerErrors unknown;
    private final String contextPath;
    private final AccessPolicy policy;
    private final IssuerLogin login;
    private final Executor work;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, HttpResponse> loaded = new ConcurrentHashMap<>();

    /**
     * @param policy whether a visitor must log in
     * @param login offered beside a password
     * @param work a bounded pool that reads each file once
     */
    public ConsoleFiles(
            ContainerErrors errors, String contextPath, AccessPolicy policy, IssuerLogin login, Executor work) {
        this.endpoints = new Endpoints(errors);
        this.unknown = errors;
        this.contextPath = contextPath;
        this.policy = policy;
        this.login = login;
        this.work = work;
    }

    public List<HttpRoute> routes() {
        byte[] index = read("index.html");
        if (index == null) {
            return List.of();
        }
        IssuerLogin.Offer offer = login.offer();
        String page = new String(index, StandardCharsets.UTF_8)
                .replace("%ISSUER-URL%", offer == null ? "" : offer.url())
                .replace("%ISSUER-LABEL%", offer == null ? "" : escaped(offer.label()));
        HttpEndpoint showPage = request -> CompletableFuture.completedFuture(
                page(page.replace("%BASE%", base(request)).replace("%SIGN-IN%", signIn(request))));
        HttpRoute root = endpoints.get("/", READ, showPage);
        HttpRoute views = endpoints.get("/ui/**", READ, showPage);
        HttpRoute assets = endpoints.get("/assets/**", READ, this::asset);
        HttpRoute icon = endpoints.get("/cairn.svg", READ, request -> file(request, "cairn.svg", "no-cache"));
        if (contextPath.isEmpty()) {
            return List.of(root, views, assets, icon);
        }
        // Without the slash the page would request its files one level too high.
        HttpRoute withoutSlash =
                endpoints.get("", READ, request -> CompletableFuture.completedFuture(redirect(prefix(request) + '/')));
        // Relative, like all links of the page.
        HttpResponse below = redirect('.' + contextPath + '/');
        HttpRoute host = endpoints
                .get("/", READ, request -> CompletableFuture.completedFuture(below))
                .besideContextPath();
        return List.of(root, views, assets, icon, withoutSlash, host);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    private static HttpResponse redirect(String location) {
        return HttpResponse.status(302).header("Location", location).withoutBody();
    }

    /** The context path as the browser sees it; a proxy that changes it may name it. */
    private String prefix(HttpRequest request) {
        String told = request.header("X-Forwarded-Prefix");
        if (told == null || !PREFIX.matcher(told).matches()) {
            return contextPath;
        }
        return told.endsWith("/") ? told.substring(0, told.length() - 1) : told;
    }

    /** The relative path from a view to the context path, because a proxy may serve the console below another path. */
    private String base(HttpRequest request) {
        int depth = 0;
        for (int i = contextPath.length() + 1; i < request.path().length(); i++) {
            if (request.path().charAt(i) == '/') {
                depth++;
            }
        }
        return depth == 0 ? "./" : "../".repeat(depth);
    }

    /** Whether the page must begin with a login; a certificate identifies a visitor without it. */
    private String signIn(HttpRequest request) {
        return policy.pagesNeedLogin() && request.certified() == null ? "needed" : "none";
    }

    /** The page with a new nonce for the style elements that its own scripts make. */
    private HttpResponse page(String page) {
        byte[] drawn = new byte[NONCE_BYTES];
        random.nextBytes(drawn);
        String nonce = Base64.getEncoder().encodeToString(drawn);
        String policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce
                + "'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; "
                + "frame-ancestors 'none'";
        return guarded(HttpResponse.status(200))
                .header("Cache-Control", "no-cache")
                .header("Content-Security-Policy", policy)
                .header("X-Frame-Options", "DENY")
                .contentType("text/html;charset=utf-8")
                .body(page.replace("%NONCE%", nonce).getBytes(StandardCharsets.UTF_8));
    }

    private static HttpResponse.Builder guarded(HttpResponse.Builder response) {
        return response.header("X-Content-Type-Options", "nosniff")
                .header("Referrer-Policy", "same-origin")
                .header("Cross-Origin-Opener-Policy", "same-origin")
                .header("Cross-Origin-Resource-Policy", "same-origin");
    }

    private CompletionStage<HttpResponse> asset(HttpRequest request) {
        String name = request.path().substring(request.path().indexOf(ASSETS) + ASSETS.length());
        return FILE_NAME.matcher(name).matches()
                ? file(request, "assets/" + name, FOR_EVER)
                : CompletableFuture.completedFuture(unknown.unknownPath(request));
    }

    private CompletionStage<HttpResponse> file(HttpRequest request, String name, String caching) {
        String accepted = request.header("Accept-Encoding");
        boolean packed = accepted != null && accepted.contains("gzip");
        String stored = packed ? name + ".gz" : name;
        HttpResponse known = loaded.get(stored);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return CompletableFuture.supplyAsync(() -> load(request, name, packed, caching), work);
    }

    private HttpResponse load(HttpRequest request, String name, boolean packed, String caching) {
        String type = CONTENT_TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        byte[] bytes = type == null ? null : read(packed ? name + ".gz" : name);
        boolean isPacked = packed && bytes != null;
        if (bytes == null && type != null) {
            bytes = read(name); // Too small for a compressed copy
        }
        if (bytes == null) {
            return unknown.unknownPath(request);
        }
        HttpResponse response = guarded(HttpResponse.status(200))
                .header("Cache-Control", caching)
                .header("Vary", "Accept-Encoding")
                .header("Content-Encoding", isPacked ? "gzip" : null)
                .contentType(type)
                .body(bytes);
        loaded.put(packed ? name + ".gz" : name, response);
        return response;
    }

    private static byte @Nullable [] read(String file) {
        try (InputStream in = ConsoleFiles.class.getResourceAsStream(FOLDER + file)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("console file " + file + " cannot be read", e);
        }
    }
}
