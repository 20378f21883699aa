package io.cairn.server.http;

import io.cairn.api.error.CairnException;
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

/** One request as the endpoints see it. Used by one thread at a time. */
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
    private @Nullable Object attachment;
    private boolean abandoned;
    private long storedRevision;

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
     * A request as it came.
     *
     * @param target path and query, perhaps in the form that is meant for proxies
     * @param headers finds the value of a header, whatever the case of its name
     */
    public static HttpRequest to(
            String method,
            String target,
            Function<String, @Nullable String> headers,
            byte[] body,
            String remoteIp,
            Executor loop) {
        return from(new RequestSource(remoteIp, loop, null, null), method, target, headers, body);
    }

    /** The same from a connection. */
    static HttpRequest from(
            RequestSource source,
            String method,
            String target,
            Function<String, @Nullable String> headers,
            byte[] body) {
        return new HttpRequest(source, method, target, headers, body);
    }

    /** The path of a target, still percent-encoded. */
    public static String pathOf(String target) {
        String uri = originForm(target);
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /** Path and query of a target; in the form that is meant for proxies, they come after scheme and host. */
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

    /** The path, still percent-encoded, without the query. */
    public String path() {
        return path;
    }

    public @Nullable String header(String name) {
        return headers.apply(name);
    }

    /** The body; empty when there is none. */
    public byte[] body() {
        return body;
    }

    /** Keeps the holder of the body's memory. */
    void keptIn(RequestBody memory) {
        kept = memory;
    }

    /**
     * Lets go of the body and of the parameters in it, which cannot be asked for any more: for requests that wait long for
     * their answer. On the event loop.
     */
    public void forgetBody() {
        body = NO_BODY;
        parameters = null;
        form = null;
        RequestBody memory = kept;
        if (memory != null) {
            memory.giveBack();
        }
    }

    /** The event loop of the connection. */
    public Executor loop() {
        return source.loop();
    }

    /** The address that the connection comes from. */
    public String remoteIp() {
        return source.remoteIp();
    }

    /** The object that the handler has attached to this request; null before that. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Keeps an object with this call, in the place of the one before. The transport does not read it. */
    public void attach(Object object) {
        attachment = object;
    }

    /** Notes that this request has made changes up to that revision. */
    public void stored(long revision) {
        storedRevision = Math.max(storedRevision, revision);
    }

    /** The revision of the last change that this request has made; 0 when it has made none. */
    public long storedRevision() {
        return storedRevision;
    }

    /** The user that the certificate of the connection names; null when none does. */
    public @Nullable CertifiedUser certified() {
        return source.certified();
    }

    /** The load of the address of the connection; null where it is not known. */
    public @Nullable AddressLoad load() {
        return source.load();
    }

    /**
     * The address that the client claims through a proxy's headers, else the one it connects from. For the record
     * and for gray releases, never for a decision about rights.
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
     * A parameter from the query or a form body, the query first; null when absent.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when query or form cannot be decoded
     */
    public @Nullable String parameter(String name) {
        asked(name);
        return parameters().get(name);
    }

    /** Whether a parameter is there, even with an empty value. */
    public boolean has(String name) {
        asked(name);
        return parameters().containsKey(name);
    }

    /** Reports the names of the parameters that the endpoint reads; for tests. */
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
                // The decoders of HTTP/1.1 and HTTP/2 hand out each byte of the request line as one character.
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
     * Writes the body into that file, for a request whose body the handler {@linkplain RequestHandler#takesUpload takes as it comes}: until this is called,
     * nothing of it is read.
     *
     * @param disk a bounded pool that writes
     * @return done when all of it is there; fails when the client goes away before
     */
    public CompletionStage<Void> receive(Path file, Executor disk) {
        Upload coming = upload;
        if (coming != null) {
            return coming.into(file, disk);
        }
        // It came by a way that keeps bodies in memory.
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
     * A file of a multipart form; null when there is none of that name.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the body is a malformed one
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

    /** Calls this on the event loop when the client goes away before it was answered, at once if it has gone already. */
    public void onAbandon(Runnable action) {
        onAbandon = action;
        if (abandoned) {
            action.run();
        }
    }

    /** On the event loop. */
    void abandon() {
        abandoned = true;
        Runnable action = onAbandon;
        if (action != null) {
            action.run();
        }
    }
}
