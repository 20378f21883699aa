package io.cairn.server.http;

import io.cairn.api.error.CairnException;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.tls.CertifiedUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request for the endpoints. Used by one thread at a time. */
public final class HttpRequest {

    private static final byte[] NO_BODY = {};

    private final String method;
    private final String uri;
    private final String path;
    private final Function<String, @Nullable String> headers;
    private byte[] body;
    private final RequestSource source;
    private @Nullable Map<String, String> parameters;
    private @Nullable MultipartForm form;
    private @Nullable RequestBody kept;
    private @Nullable Upload upload;
    private @Nullable Consumer<String> reader;
    private @Nullable Runnable onAbandon;
    /** Written on the handler's thread, and read on the event loop after the handler has finished. */
    private @Nullable MemoryLease lease;

    private @Nullable Object attachment;
    private boolean abandoned;
    private long storedRevision;
    private volatile long staleSeconds;

    private HttpRequest(
            RequestSource source,
            String method,
            String target,
            Function<String, @Nullable String> headers,
            byte[] body) {
        this.source = source;
        this.method = method;
        this.uri = originForm(target);
        this.path = pathOf(target);
        this.headers = headers;
        this.body = body;
    }

    /**
     * @param target path and query, optionally in absolute form
     * @param headers returns the value of a header, whose name ignores case
     */
    public static HttpRequest to(
            String method,
            String target,
            Function<String, @Nullable String> headers,
            byte[] body,
            String remoteIp,
            Executor loop) {
        return from(RequestSource.unknown(remoteIp, loop, AnswerMemory.unlimited()), method, target, headers, body);
    }

    static HttpRequest from(
            RequestSource source,
            String method,
            String target,
            Function<String, @Nullable String> headers,
            byte[] body) {
        return new HttpRequest(source, method, target, headers, body);
    }

    /** The path of a target, percent-encoded. */
    public static String pathOf(String target) {
        String uri = originForm(target);
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /** Path and query of a target; the absolute form begins with scheme and host. */
    private static String originForm(String target) {
        if (target.startsWith("/")) {
            return target;
        }
        int host = target.indexOf("://") + 3;
        if (host < 3) {
            return target;
        }
        int path = target.indexOf('/', host);
        return path < 0 ? "/" : target.substring(path);
    }

    public String method() {
        return method;
    }

    /** The path without the query, percent-encoded. */
    public String path() {
        return path;
    }

    public @Nullable String header(String name) {
        return headers.apply(name);
    }

    /** Empty when absent. */
    public byte[] body() {
        return body;
    }

    void keptIn(RequestBody memory) {
        kept = memory;
    }

    /**
     * Releases the body and its parameters, which are unavailable afterwards; for requests that wait long for their
     * response. Call on the event loop.
     */
    public void forgetBody() {
        body = NO_BODY;
        parameters = null;
        form = null;
        RequestBody memory = kept;
        if (memory != null) {
            memory.release();
        }
    }

    public Executor loop() {
        return source.loop();
    }

    /** The memory of the response; released by the transport. */
    public MemoryLease lease() {
        MemoryLease known = lease;
        if (known == null) {
            known = source.answers().lease();
            lease = known;
        }
        return known;
    }

    void releaseLease() {
        if (lease != null) {
            lease.close();
        }
    }

    public String remoteIp() {
        return source.remoteIp();
    }

    /** The handler's object, which the transport does not read; null before {@link #attach}. */
    public @Nullable Object attachment() {
        return attachment;
    }

    public void attach(Object object) {
        attachment = object;
    }

    public void stored(long revision) {
        storedRevision = Math.max(storedRevision, revision);
    }

    /** The revision of the last change by this request; 0 without a change. */
    public long storedRevision() {
        return storedRevision;
    }

    public void mayBeStale(long seconds) {
        staleSeconds = seconds;
    }

    /**
     * The seconds for which this server may have missed changes, because it could not read the store; 0 when it has
     * not.
     */
    public long staleSeconds() {
        return staleSeconds;
    }

    /** The user of the client certificate; null when absent. */
    public @Nullable CertifiedUser certified() {
        return source.certified();
    }

    /** The load of the client's address; null when unknown. */
    public @Nullable AddressLoad load() {
        return source.load();
    }

    /**
     * The address in a proxy's headers, otherwise the client's address. Only for records and gray releases, never for
     * authorization.
     */
    public String claimedIp() {
        String forwarded = headers.apply("X-Forwarded-For");
        if (forwarded != null && !forwarded.isBlank()) {
            return forwarded.split(",", 2)[0].trim();
        }
        String real = headers.apply("X-Real-IP");
        return real != null && !real.isBlank() ? real.trim() : remoteIp();
    }

    /**
     * A parameter from the query, otherwise from a form body; null when absent.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when query or form cannot be decoded
     */
    public @Nullable String parameter(String name) {
        asked(name);
        return parameters().get(name);
    }

    /** Reports the parameters that the endpoint reads; for tests. */
    public void observe(Consumer<String> names) {
        reader = names;
    }

    private void asked(String name) {
        Consumer<String> told = reader;
        if (told != null) {
            told.accept(name);
        }
    }

    private Map<String, String> parameters() {
        Map<String, String> known = parameters;
        if (known == null) {
            known = new HashMap<>();
            int query = uri.indexOf('?');
            if (query >= 0) {
                // Netty's decoders convert each byte of the request line to one character.
                byte[] encoded = uri.substring(query + 1).getBytes(StandardCharsets.ISO_8859_1);
                FormParameters.read(encoded, 0, StandardCharsets.UTF_8, known);
            }
            if (body.length > 0 && isForm()) {
                FormParameters.read(body, 0, RequestText.charsetOf(header("Content-Type")), known);
            }
            MultipartForm parts = multipart();
            if (parts != null) {
                parts.texts().forEach(known::putIfAbsent);
            }
            parameters = known;
        }
        return known;
    }

    void uploading(Upload coming) {
        upload = coming;
    }

    /**
     * Writes the body to a file, for a request whose handler {@linkplain RequestHandler#takesUpload accepts uploads}; before
     * this call the body is not read.
     *
     * @param disk a bounded pool
     * @return completes after the last byte; fails when the client disconnects before
     */
    public CompletionStage<Void> receive(Path file, Executor disk) {
        Upload coming = upload;
        if (coming != null) {
            return coming.into(file, disk);
        }
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        Files.write(file, body);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                disk);
    }

    /**
     * A file of a multipart form; null when absent.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the body is malformed
     */
    public byte @Nullable [] file(String name) {
        MultipartForm parts = multipart();
        return parts == null ? null : parts.file(name);
    }

    private @Nullable MultipartForm multipart() {
        String type = headers.apply("Content-Type");
        if (form == null && body.length > 0 && type != null && MultipartForm.is(type)) {
            form = MultipartForm.read(type, body);
        }
        return form;
    }

    private boolean isForm() {
        String type = headers.apply("Content-Type");
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    /**
     * Calls the action on the event loop when the client disconnects before the response, or at once if it has disconnected.
     */
    public void onAbandon(Runnable action) {
        onAbandon = action;
        if (abandoned) {
            action.run();
        }
    }

    /** Called on the event loop. */
    void abandon() {
        abandoned = true;
        Runnable action = onAbandon;
        if (action != null) {
            action.run();
        }
    }
}
