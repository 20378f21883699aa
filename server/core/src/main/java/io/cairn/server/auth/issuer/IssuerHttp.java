package io.cairn.server.auth.issuer;

import io.cairn.server.tls.TrustedAuthorities;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests to an issuer. Never blocks; stages fail with an {@link IOException} that names the request and the fault. */
final class IssuerHttp implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(IssuerHttp.class);

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int MAX_BYTES = 1024 * 1024;

    private final HttpClient http;
    private final ExecutorService thread;
    private final Clock clock;
    private volatile long clockOffsetMillis;
    private volatile long certificateEndMillis;

    record Answer(int status, String body) {}

    /**
     * @param trusted PEM file of authorities; null for the authorities of the Java runtime
     * @throws IllegalArgumentException for certificates that cannot be used
     */
    IssuerHttp(@Nullable Path trusted, Clock clock) {
        this.clock = clock;
        this.thread = Executors.newSingleThreadExecutor(work -> {
            Thread made = new Thread(work, "cairn-issuer-1");
            made.setDaemon(true);
            return made;
        });
        HttpClient.Builder builder = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(thread);
        this.http = (trusted == null ? builder : builder.sslContext(TrustedAuthorities.context(trusted))).build();
    }

    static CompletionException failure(String text) {
        return new CompletionException(new IOException(text));
    }

    /** The body of a successful answer. */
    CompletableFuture<String> get(URI url) {
        return send("GET", HttpRequest.newBuilder(url)).thenApply(answer -> {
            if (answer.status != 200) {
                throw failure("GET " + url + " was answered with " + answer.status + " (expected: 200)");
            }
            return answer.body;
        });
    }

    CompletableFuture<Answer> get(URI url, String authorization) {
        return send("GET", HttpRequest.newBuilder(url).header("Authorization", authorization));
    }

    /** @param authorization header of this name; null without one */
    CompletableFuture<Answer> post(URI url, String form, @Nullable String authorization) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        return send("POST", authorization == null ? request : request.header("Authorization", authorization));
    }

    private CompletableFuture<Answer> send(String method, HttpRequest.Builder builder) {
        HttpRequest request =
                builder.timeout(ANSWER).header("Accept", "application/json").build();
        return http.sendAsync(request, head -> new LimitedBody())
                .orTimeout(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                .handle((answer, failure) -> {
                    if (failure != null) {
                        throw failure(method + ' ' + request.uri() + " failed: " + reason(failure));
                    }
                    observe(answer);
                    return new Answer(answer.statusCode(), answer.body());
                });
    }

    private void observe(HttpResponse<?> answer) {
        try {
            answer.headers()
                    .firstValue("Date")
                    .map(text -> ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME))
                    .ifPresent(date -> clockOffsetMillis = date.toInstant().toEpochMilli() + 500 - clock.millis());
            SSLSession session = answer.sslSession().orElse(null);
            if (session != null && session.getPeerCertificates()[0] instanceof X509Certificate certificate) {
                certificateEndMillis = certificate.getNotAfter().toInstant().toEpochMilli();
            }
        } catch (DateTimeParseException | SSLPeerUnverifiedException e) {
            log.debug("The clock or the certificate of {} cannot be read", answer.uri(), e);
        }
    }

    /** By the last answer, to half a second and the time of the answer; positive for an issuer that is ahead. */
    long clockOffsetMillis() {
        return clockOffsetMillis;
    }

    /** Epoch milliseconds; 0 for an issuer without TLS, and before its first answer. */
    long certificateEndMillis() {
        return certificateEndMillis;
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
