package io.cairn.client.internal;

import io.cairn.api.wire.JsonInput;
import io.cairn.client.connection.ConnectFailure;
import io.cairn.client.connection.Phase;
import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs in over the HTTP API and renews the token before it expires, or takes tokens from a source.
 * {@link #token} and {@link #refused} are thread-safe; the other methods block and are called by one thread.
 */
public final class Login {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final List<String> PATHS = List.of("/v3/auth/user/login", "/v1/auth/users/login", "/v1/auth/login");
    private static final int MAX_ANSWER_BYTES = 64 * 1024;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration FIRST_CALM = Duration.ofSeconds(30);
    private static final Duration LONGEST_CALM = Duration.ofMinutes(30);

    /** Between two calls of a source: four fifths of it. */
    private static final Duration GIVEN_LIFETIME = Duration.ofMillis(37_500);

    private final Function<ServerAddress, @Nullable Token> source;
    private final String contextPath;
    private final Duration timeout;
    private final @Nullable SSLSocketFactory tls;
    private volatile @Nullable Token token;
    private volatile boolean refused;
    /** The time before which a rejection does not cause a login. */
    private volatile long calmUntilNanos = System.nanoTime();

    private Duration calm = Duration.ZERO;

    public Login(Credentials credentials, String contextPath, Duration timeout, @Nullable SSLSocketFactory tls) {
        this.source = server -> login(server, credentials);
        this.contextPath = contextPath;
        this.timeout = timeout;
        this.tls = tls;
    }

    /** @param tokens in place of logins; may block */
    public Login(Supplier<String> tokens) {
        this.source = server -> given(server, tokens);
        this.contextPath = "";
        this.timeout = Duration.ZERO;
        this.tls = null;
    }

    private static Token given(ServerAddress server, Supplier<String> tokens) {
        String text;
        try {
            text = tokens.get();
        } catch (RuntimeException e) {
            throw new ConnectFailure(server, Phase.AUTH, "the source of tokens failed: " + e, e);
        }
        if (text == null || text.isBlank()) {
            throw new ConnectFailure(
                    server,
                    Phase.AUTH,
                    "the source of tokens returned no token (expected: a token for this server)",
                    null);
        }
        return new Token(text.strip(), System.nanoTime(), GIVEN_LIFETIME);
    }

    private record Token(String text, long fetchedNanos, Duration lifetime) {

        /** The time to the renewal, at four fifths of the lifetime, which leaves time for several attempts. */
        Duration left() {
            return lifetime.dividedBy(5).multipliedBy(4).minus(age());
        }

        Duration age() {
            return Duration.ofNanos(System.nanoTime() - fetchedNanos);
        }
    }

    /** Null before the first login, or when the server does not support logins. */
    public @Nullable String token() {
        Token now = token;
        return now == null ? null : now.text();
    }

    /**
     * Records that the server rejected a request with the token {@code used}.
     *
     * @return whether to repeat the request after {@link #ensure}; false when the user lacks a permission, or when the
     *     token is new
     */
    public boolean refused(@Nullable String used, String why) {
        Token now = token;
        if (now != null && !now.text().equals(used)) {
            return true;
        }
        if (isAboutRights(why)) {
            return false;
        }
        if (System.nanoTime() - calmUntilNanos >= 0) {
            refused = true;
        }
        return refused;
    }

    /** The message of Nacos 2, Nacos 3 and Cairn. */
    private static boolean isAboutRights(String why) {
        return why.contains("authorization failed");
    }

    /**
     * Logs in when there is no token, or when it was rejected or is about to expire.
     *
     * @return the time until the next call
     * @throws ConnectFailure of {@link Phase#AUTH} when the server rejects the user, of {@link Phase#HTTP} when it is
     *     unreachable
     */
    public Duration ensure(ServerAddress server) {
        Token now = token;
        boolean replace = refused;
        if (now == null || replace || now.left().isNegative()) {
            if (replace) {
                // A login without effect doubles the pause before the next login, because servers limit logins.
                boolean helped = now != null && now.age().compareTo(calm.multipliedBy(2)) > 0;
                calm = helped || calm.isZero() ? FIRST_CALM : longer(calm);
            }
            Duration pause = SHORTEST;
            try {
                now = source.apply(server);
                token = now;
                pause = replace ? calm : Duration.ZERO;
            } catch (ConnectFailure e) {
                pause = e.phase() == Phase.AUTH ? calm : SHORTEST;
                throw e;
            } finally {
                calmUntilNanos = System.nanoTime() + pause.toNanos();
                refused = false;
            }
        }
        Duration again = now == null ? Duration.ofMinutes(5) : now.left();
        return again.compareTo(SHORTEST) < 0 ? SHORTEST : again;
    }

    private static Duration longer(Duration calm) {
        Duration longer = calm.multipliedBy(2);
        return longer.compareTo(LONGEST_CALM) > 0 ? LONGEST_CALM : longer;
    }

    private @Nullable Token login(ServerAddress server, Credentials credentials) {
        for (String path : PATHS) {
            try {
                Token granted = ask(server, path, credentials);
                if (granted != null) {
                    return granted;
                }
            } catch (IOException e) {
                throw new ConnectFailure(
                        server, Phase.HTTP, "no answer from " + path + (server.secure() ? " over TLS: " : ": ") + e, e);
            }
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} knows no logins; the client goes on without a token",
                server.httpAddress());
        return null;
    }

    /** Null when the server does not support this path. */
    private @Nullable Token ask(ServerAddress server, String path, Credentials credentials) throws IOException {
        URI uri = URI.create((server.secure() ? "https://" : "http://") + server.httpAddress() + contextPath + path);
        // The connections bypass the JVM's proxy as well.
        HttpURLConnection http = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
        SSLSocketFactory factory = tls;
        if (http instanceof HttpsURLConnection https && factory != null) {
            https.setSSLSocketFactory(factory);
        }
        try {
            int patience = Math.toIntExact(timeout.toMillis());
            http.setConnectTimeout(patience);
            http.setReadTimeout(patience);
            http.setInstanceFollowRedirects(false);
            http.setRequestMethod("POST");
            http.setDoOutput(true);
            http.setRequestProperty("Content-Type", "application/x-www-form-urlencoded");
            // A kept connection would occupy a thread.
            http.setRequestProperty("Connection", "close");
            byte[] form = ("username=" + encode(credentials.username()) + "&password=" + encode(credentials.password()))
                    .getBytes(StandardCharsets.US_ASCII);
            http.setFixedLengthStreamingMode(form.length);
            try (OutputStream out = http.getOutputStream()) {
                out.write(form);
            }
            int status = http.getResponseCode();
            if (status == 404 || status == 405 || status == 410 || status == 501) {
                return null;
            }
            String body = body(http, status);
            if (status < 200 || status >= 500 || status == 408 || status == 429) {
                throw new ConnectFailure(
                        server, Phase.HTTP, path + " was answered with " + status + ' ' + firstLine(body), null);
            }
            if (status != 200) {
                throw new ConnectFailure(
                        server,
                        Phase.AUTH,
                        "user '" + credentials.username() + "' was refused with " + status + ' ' + firstLine(body),
                        null);
            }
            return read(server, body);
        } finally {
            http.disconnect();
        }
    }

    private static String body(HttpURLConnection http, int status) throws IOException {
        try (InputStream in = status < 400 ? http.getInputStream() : http.getErrorStream()) {
            return in == null ? "" : new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
        }
    }

    private static String firstLine(String body) {
        return body.strip().lines().findFirst().orElse("");
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Token read(ServerAddress server, String body) {
        try {
            Token token = JsonInput.read(body, Login::token);
            if (token.text().isEmpty()) {
                throw new ConnectFailure(server, Phase.HTTP, "the answer holds no token", null);
            }
            return token;
        } catch (io.cairn.api.wire.MalformedMessageException e) {
            throw new ConnectFailure(server, Phase.HTTP, "the answer cannot be read: " + e.getMessage(), e);
        }
    }

    private static Token token(JsonInput in) {
        String text = "";
        double seconds = 0;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "accessToken" -> text = in.textOr("");
                case "tokenTtl" -> seconds = in.decimal(0);
                // Some servers wrap the token.
                case "data" -> {
                    Token inner = in.object(Login::token);
                    if (inner != null) {
                        text = inner.text();
                        seconds = inner.lifetime().toSeconds();
                    }
                }
                default -> in.skip();
            }
        }
        return new Token(text, System.nanoTime(), Duration.ofSeconds((long) Math.max(1, seconds)));
    }
}
