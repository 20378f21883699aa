package io.cairn.client.auth;

import io.cairn.api.wire.JsonInput;
import io.cairn.client.connection.ConnectFailure;
import io.cairn.client.connection.Phase;
import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Gets a token from a server's HTTP API, and a new one before it ends. The tokens of one server hold for its peers.
 * {@link #token} may be called by any thread; the rest blocks and is called by one.
 */
public final class Login {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final List<String> PATHS = List.of("/v3/auth/user/login", "/v1/auth/users/login", "/v1/auth/login");
    private static final int MAX_ANSWER_BYTES = 64 * 1024;

    private final Credentials credentials;
    private final String contextPath;
    private final Duration timeout;
    private final @Nullable SSLSocketFactory tls;
    private volatile @Nullable Token token;
    private volatile @Nullable Token refused;
    private volatile long mendedNanos = System.nanoTime() - LEAST_NANOS;

    /** @param contextPath what paths begin with, such as {@code /nacos}; may be empty */
    public Login(Credentials credentials, String contextPath, Duration timeout, @Nullable SSLSocketFactory tls) {
        this.credentials = credentials;
        this.contextPath = contextPath;
        this.timeout = timeout;
        this.tls = tls;
    }

    /** After a login, a refusal is believed for so long to be about rights, unless it speaks of the token. */
    private static final long TRUSTED_NANOS = Duration.ofSeconds(30).toNanos();
    /** Should a server refuse every token, they are not replaced more often than this. */
    private static final long LEAST_NANOS = Duration.ofSeconds(1).toNanos();

    private record Token(String text, long fetchedNanos, Duration lifetime) {

        long ageNanos() {
            return System.nanoTime() - fetchedNanos;
        }

        /** A fifth before its end there is time for several attempts. */
        boolean due() {
            return untilDueNanos() <= 0;
        }

        long untilDueNanos() {
            return lifetime.toNanos() / 5 * 4 - ageNanos();
        }
    }

    /** The token of the last login; null before, and where a server knows no logins. */
    public @Nullable String token() {
        Token now = token;
        return now == null ? null : now.text();
    }

    /**
     * Whether another login may help after a refusal, which is then due; the token stays in use until there is a new one,
     * for what one request may not do others may. A refusal for lack of rights is not mended by logging in.
     *
     * @param used the token that was sent
     * @param said the server's words
     */
    public boolean mayBeMended(@Nullable String used, String said) {
        Token now = token;
        if (now == null || !now.text().equals(used)) {
            return true;
        }
        long nanos = System.nanoTime();
        boolean believed = isAboutIdentity(said) ? nanos - mendedNanos >= LEAST_NANOS : now.ageNanos() >= TRUSTED_NANOS;
        if (believed && !now.equals(refused)) {
            mendedNanos = nanos;
            refused = now;
        }
        return now.equals(refused);
    }

    /** As Cairn and Nacos word it. */
    private static boolean isAboutIdentity(String said) {
        String words = said.toLowerCase(java.util.Locale.ROOT);
        return words.contains("token") || words.contains("user not found") || words.contains("code: 401");
    }

    /**
     * Logs in when there is no token, its end is near, or a server has refused it.
     *
     * @return after how long to call this again
     * @throws ConnectFailure of {@link Phase#AUTH} when the server refuses, or cannot be asked
     */
    public Duration ensure(ServerAddress server) {
        Token now = token;
        if (now == null || now.due() || now.equals(refused)) {
            now = login(server);
            token = now;
        }
        Duration again = now == null ? Duration.ofMinutes(5) : Duration.ofNanos(now.untilDueNanos());
        return again.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : again;
    }

    private @Nullable Token login(ServerAddress server) {
        for (String path : PATHS) {
            try {
                Token granted = ask(server, path);
                if (granted != null) {
                    return granted;
                }
            } catch (IOException e) {
                throw new ConnectFailure(server, Phase.AUTH, "no answer from " + path + ": " + e.getMessage(), e);
            }
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} knows no logins; the client goes on without a token",
                server.httpAddress());
        return null;
    }

    /** A token; null when the server does not know the path. */
    private @Nullable Token ask(ServerAddress server, String path) throws IOException {
        URI uri = URI.create((server.secure() ? "https://" : "http://") + server.httpAddress() + contextPath + path);
        HttpURLConnection http = (HttpURLConnection) uri.toURL().openConnection();
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
            // A connection kept for later would keep a thread for it.
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
            if (status != 200) {
                throw new ConnectFailure(
                        server,
                        Phase.AUTH,
                        "user '" + credentials.username() + "' was refused with " + status + " "
                                + body.strip().lines().findFirst().orElse(""),
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

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Token read(ServerAddress server, String body) {
        try {
            Token token = JsonInput.read(body, Login::token);
            if (token.text().isEmpty()) {
                throw new ConnectFailure(server, Phase.AUTH, "the answer holds no token", null);
            }
            return token;
        } catch (io.cairn.api.wire.MalformedMessageException e) {
            throw new ConnectFailure(server, Phase.AUTH, "the answer cannot be read: " + e.getMessage(), e);
        }
    }

    private static Token token(JsonInput in) {
        String text = "";
        double seconds = 0;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "accessToken" -> text = in.textOr("");
                case "tokenTtl" -> seconds = in.decimal(0);
                // Some servers wrap it.
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
