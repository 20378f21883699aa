package io.cairn.server.auth.issuer;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Reads the keys of an issuer: where they are from its description, then the keys. Never blocks. */
final class KeyFetch implements AutoCloseable {

    private static final String DESCRIPTION = "/.well-known/openid-configuration";
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int MAX_BYTES = 1024 * 1024;

    private final String issuer;
    private final HttpClient http;
    private final ExecutorService thread;

    /** @throws IllegalArgumentException for certificates that cannot be used */
    KeyFetch(IssuerSettings settings) {
        this.issuer = settings.issuer();
        this.thread = Executors.newSingleThreadExecutor(work -> {
            Thread made = new Thread(work, "cairn-issuer-1");
            made.setDaemon(true);
            return made;
        });
        HttpClient.Builder builder = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(thread);
        Path trusted = settings.trusted();
        this.http = (trusted == null ? builder : builder.sslContext(trusting(trusted))).build();
    }

    private static SSLContext trusting(Path file) {
        try (InputStream text = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(text)) {
                store.setCertificateEntry("issuer-" + store.size(), certificate);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "trusted-certificates: " + file + ": " + e.getMessage() + " (expected: certificates as PEM)", e);
        }
    }

    /** Fails with an {@link IOException} with the answer of the issuer in its message. */
    CompletionStage<VerificationKeys> keys() {
        return get(URI.create((issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer) + DESCRIPTION))
                .thenCompose(text -> get(keysOf(text)).thenApply(KeyFetch::parsed));
    }

    private URI keysOf(String description) {
        try {
            Map<String, Object> members = JSONObjectUtils.parse(description);
            if (!issuer.equals(members.get("issuer"))) {
                throw failure("it describes the issuer '" + members.get("issuer") + "' (expected: '" + issuer + "')");
            }
            return IssuerSettings.checkUrl(String.valueOf(members.get("jwks_uri")));
        } catch (ParseException | IllegalArgumentException e) {
            throw failure(DESCRIPTION + ": " + e.getMessage());
        }
    }

    private static VerificationKeys parsed(String text) {
        try {
            VerificationKeys keys = VerificationKeys.parse(text);
            if (keys.isEmpty()) {
                throw failure(
                        "it publishes no key that verifies tokens (expected: an RSA key of 2048 bits, or an EC key)");
            }
            return keys;
        } catch (ParseException e) {
            throw failure("its keys cannot be read: " + e.getMessage());
        }
    }

    private static CompletionException failure(String text) {
        return new CompletionException(new IOException(text));
    }

    private CompletableFuture<String> get(URI url) {
        HttpRequest request = HttpRequest.newBuilder(url)
                .timeout(ANSWER)
                .header("Accept", "application/json")
                .build();
        return http.sendAsync(request, head -> new LimitedBody())
                .orTimeout(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                .handle((answer, failure) -> {
                    if (failure != null) {
                        throw failure("GET " + url + " failed: " + reason(failure));
                    }
                    return body(url, answer);
                });
    }

    private static String reason(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
            return "no answer within " + ANSWER.toSeconds() + " s";
        }
        if (cause instanceof ConnectException) {
            return "no connection";
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    private static String body(URI url, HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw failure("GET " + url + " was answered with " + answer.statusCode() + " (expected: 200)");
        }
        return answer.body();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** Collects a body up to a limit. */
    private static final class LimitedBody implements HttpResponse.BodySubscriber<String> {

        private final CompletableFuture<String> text = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public CompletionStage<String> getBody() {
            return text;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
            text.whenComplete((done, failure) -> {
                if (failure != null) {
                    subscription.cancel();
                }
            });
        }

        @Override
        public void onNext(List<ByteBuffer> parts) {
            for (ByteBuffer part : parts) {
                if (bytes.size() + part.remaining() > MAX_BYTES) {
                    text.completeExceptionally(new IOException("its answer is longer than " + MAX_BYTES + " bytes"));
                    return;
                }
                byte[] piece = new byte[part.remaining()];
                part.get(piece);
                bytes.writeBytes(piece);
            }
        }

        @Override
        public void onError(Throwable failure) {
            text.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            text.complete(bytes.toString(StandardCharsets.UTF_8));
        }
    }
}
