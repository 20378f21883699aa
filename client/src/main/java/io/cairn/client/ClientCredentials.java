package io.cairn.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gets tokens of an OpenID Connect issuer for an application, by the grant {@code client_credentials}, for
 * {@link ClientBuilder#tokens}. It keeps a token for four fifths of its lifetime. The certificate of the issuer is verified with those
 * of the Java runtime. Thread-safe; {@link #get} waits at most 10 s for each of two answers of the issuer.
 */
public final class ClientCredentials implements Supplier<String> {

    private static final int PATIENCE_MILLIS = 10_000;
    private static final int MAX_ANSWER_BYTES = 1024 * 1024;
    /** Of a token without a stated lifetime. */
    private static final Duration LIFETIME = Duration.ofMinutes(1);

    private final String issuer;
    private final String clientId;
    private final String clientSecret;
    private final @Nullable String scope;
    private final @Nullable String tokenEndpoint;

    @GuardedBy("this")
    private @Nullable Token known;

    private record Token(String text, long renewAtNanos) {}

    private record Answer(int status, String body) {}

    /** @param issuer its URL; {@code /.well-known/openid-configuration} below it names the address for tokens */
    public ClientCredentials(String issuer, String clientId, String clientSecret) {
        this(issuer, clientId, clientSecret, null, null);
    }

    /**
     * @param scope to ask for; null for the issuer's default
     * @param tokenEndpoint the address for tokens; null for the issuer's own
     */
    public ClientCredentials(
            String issuer,
            String clientId,
            String clientSecret,
            @Nullable String scope,
            @Nullable String tokenEndpoint) {
        this.issuer = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        this.clientId = clientId;
        this.clientSecret = clientSecret;
        this.scope = scope;
        this.tokenEndpoint = tokenEndpoint;
    }

    /** @throws CairnException {@code UNAVAILABLE} when the issuer does not answer, or refuses, with its answer */
    @Override
    public synchronized String get() {
        Token token = known;
        if (token == null || System.nanoTime() - token.renewAtNanos >= 0) {
            token = fetch();
            known = token;
        }
        return token.text;
    }

    private Token fetch() {
        String endpoint = tokenEndpoint == null ? endpoint() : tokenEndpoint;
        String form = "grant_type=client_credentials" + (scope == null ? "" : "&scope=" + encode(scope));
        Answer answer = call(endpoint, form);
        if (answer.status != 200) {
            throw failure(endpoint, "was answered with " + answer.status + ' ' + firstLine(answer.body));
        }
        String[] text = {""};
        long[] seconds = {LIFETIME.toSeconds()};
        read(endpoint, answer.body, in -> {
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "access_token" -> text[0] = in.textOr("");
                    case "expires_in" -> seconds[0] = (long) in.decimal((double) seconds[0]);
                    default -> in.skip();
                }
            }
            return text[0];
        });
        if (text[0].isEmpty()) {
            throw failure(endpoint, "sent no access_token");
        }
        long lifetime = Duration.ofSeconds(Math.max(0, seconds[0])).toNanos();
        return new Token(text[0], System.nanoTime() + lifetime / 5 * 4);
    }

    private String endpoint() {
        String description = issuer + "/.well-known/openid-configuration";
        Answer answer = call(description, null);
        if (answer.status != 200) {
            throw failure(description, "was answered with " + answer.status);
        }
        String found = read(description, answer.body, in -> {
            String endpoint = "";
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                if (field.equals("token_endpoint")) {
                    endpoint = in.textOr("");
                } else {
                    in.skip();
                }
            }
            return endpoint;
        });
        if (found.isEmpty()) {
            throw failure(description, "names no token_endpoint");
        }
        return found;
    }

    @FunctionalInterface
    private interface Reader {
        String read(JsonInput in);
    }

    private static String read(String url, String body, Reader reader) {
        try {
            return JsonInput.read(body, reader::read);
        } catch (MalformedMessageException e) {
            throw failure(url, "sent no JSON: " + e.getMessage());
        }
    }

    /** @param form null for a GET */
    private Answer call(String url, @Nullable String form) {
        HttpURLConnection http = null;
        try {
            http = (HttpURLConnection) URI.create(url).toURL().openConnection();
            http.setConnectTimeout(PATIENCE_MILLIS);
            http.setReadTimeout(PATIENCE_MILLIS);
            http.setInstanceFollowRedirects(false);
            http.setRequestProperty("Accept", "application/json");
            // A kept connection would occupy a thread.
            http.setRequestProperty("Connection", "close");
            if (form != null) {
                send(http, form);
            }
            int status = http.getResponseCode();
            try (InputStream in = status < 400 ? http.getInputStream() : http.getErrorStream()) {
                return new Answer(
                        status, in == null ? "" : new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new CairnException(ErrorCode.UNAVAILABLE, url + " failed: " + e, e);
        } finally {
            if (http != null) {
                http.disconnect();
            }
        }
    }

    private void send(HttpURLConnection http, String form) throws IOException {
        byte[] bytes = form.getBytes(StandardCharsets.US_ASCII);
        String pair = encode(clientId) + ':' + encode(clientSecret);
        http.setRequestProperty(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII)));
        http.setRequestMethod("POST");
        http.setDoOutput(true);
        http.setRequestProperty("Content-Type", "application/x-www-form-urlencoded");
        // In streaming mode, Java 17 has no body of an answer with status 401.
        try (OutputStream out = http.getOutputStream()) {
            out.write(bytes);
        }
    }

    private static CairnException failure(String url, String what) {
        return new CairnException(ErrorCode.UNAVAILABLE, "the issuer's " + url + ' ' + what);
    }

    private static String firstLine(String body) {
        return body.strip().lines().findFirst().orElse("");
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return clientId + " at " + issuer;
    }
}
