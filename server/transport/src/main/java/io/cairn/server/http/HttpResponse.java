package io.cairn.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.MemoryLease;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A response: status line and headers as bytes, without the final empty line, and a body. Encoded once for all receivers,
 * except for {@linkplain #isPending pending} bodies. Thread-safe.
 */
public final class HttpResponse {

    public static final String TEXT = "text/plain;charset=UTF-8";
    public static final String JSON = "application/json";
    public static final String JSON_UTF8 = "application/json;charset=UTF-8";

    private static final String CONTENT_LENGTH = "Content-Length: ";
    private static final byte[] EMPTY = {};

    private final int status;
    private final byte[] head;
    private final byte[] body;
    private final @Nullable HttpBody stream;
    private final @Nullable PendingBody pending;
    private final boolean compressible;
    /** Created on first use; a race creates equal objects. */
    private @Nullable HttpResponse varying;
    /** Cached for all receivers. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<HttpResponse> compressed;
    /** Created on first use; a race creates equal objects. */
    private @Nullable Http2Head http2Head;
    /** Shared by the responses with the same bytes. */
    private final Readers readers;

    /** Counts the clients that are receiving a large body. */
    private static final class Readers {

        @GuardedBy("this")
        private int count;

        synchronized boolean hold(MemoryBudget budget, int bytes) {
            if (count == 0 && !budget.tryReserve(bytes)) {
                return false;
            }
            count++;
            return true;
        }

        synchronized void release(MemoryBudget budget, int bytes) {
            count--;
            if (count == 0) {
                budget.release(bytes);
            }
        }
    }

    private HttpResponse(
            int status,
            byte[] head,
            byte[] body,
            @Nullable HttpBody stream,
            @Nullable PendingBody pending,
            boolean compressible) {
        this(status, head, body, stream, pending, compressible, new Readers());
    }

    private HttpResponse(
            int status,
            byte[] head,
            byte[] body,
            @Nullable HttpBody stream,
            @Nullable PendingBody pending,
            boolean compressible,
            Readers readers) {
        this.readers = readers;
        this.status = status;
        this.head = head;
        this.body = body;
        this.stream = stream;
        this.pending = pending;
        this.compressible = compressible;
    }

    /** A response with a UTF-8 text. */
    public static HttpResponse of(int status, String contentType, String body) {
        return status(status).contentType(contentType).body(body.getBytes(StandardCharsets.UTF_8));
    }

    public static HttpResponse ok(String contentType, String body) {
        return of(200, contentType, body);
    }

    public static Builder status(int status) {
        return new Builder(status);
    }

    public int status() {
        return status;
    }

    /** Status line and headers for HTTP/1.1, without the headers of the connection; must not be changed. */
    public byte[] head() {
        return head;
    }

    Http2Head http2Head() {
        Http2Head known = http2Head;
        if (known == null) {
            known = Http2Head.of(status, head);
            http2Head = known;
        }
        return known;
    }

    public HttpResponse with(String name, String value) {
        return new HttpResponse(status, headWith(name + ": " + value), body, stream, pending, compressible, readers);
    }

    private byte[] headWith(String header) {
        byte[] line = (header + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] longer = Arrays.copyOf(head, head.length + line.length);
        System.arraycopy(line, 0, longer, head.length, line.length);
        return longer;
    }

    /** Whether the body must be {@linkplain #written written} first. */
    public boolean isPending() {
        return pending != null;
    }

    /** This response with its body; see {@link PendingBody#write}. */
    public CompletionStage<HttpResponse> written(MemoryLease lease, Executor pool) {
        PendingBody due = pending;
        return due == null ? CompletableFuture.completedFuture(this) : due.write(this, lease, pool);
    }

    /** Completes a pending response. */
    public HttpResponse withBody(byte[] bytes) {
        return new HttpResponse(status, headWith(CONTENT_LENGTH + bytes.length), bytes, null, null, compressible);
    }

    /** Completes a pending response with a streamed body; the response closes it. */
    public HttpResponse withBody(HttpBody pieces) {
        byte[] withLength =
                pieces.length() == HttpBody.UNKNOWN_LENGTH ? head : headWith(CONTENT_LENGTH + pieces.length());
        return new HttpResponse(status, withLength, EMPTY, pieces, null, false);
    }

    byte[] body() {
        return body;
    }

    /** Whether the body is unencoded text. */
    boolean isCompressible() {
        return compressible;
    }

    /** The same response with {@code Vary}, for clients that do not accept its compressed form. */
    HttpResponse varying() {
        HttpResponse known = varying;
        if (known == null) {
            HttpResponse same = with("Vary", "Accept-Encoding");
            known = new HttpResponse(status, same.head, body, stream, null, false, readers);
            varying = known;
        }
        return known;
    }

    /**
     * The same response with a compressed body, computed once; {@link #varying} when compression does not save bytes.
     *
     * @param compress the same function for all calls; its result never fails
     */
    synchronized CompletableFuture<HttpResponse> compressed(
            Function<byte[], CompletableFuture<byte @Nullable []>> compress) {
        CompletableFuture<HttpResponse> known = compressed;
        if (known == null) {
            known = compress.apply(body).thenApply(this::encodedAs);
            compressed = known;
        }
        return known;
    }

    private HttpResponse encodedAs(byte @Nullable [] gzip) {
        if (gzip == null) {
            return varying();
        }
        String lines = new String(head, StandardCharsets.ISO_8859_1)
                        .replaceFirst("\r\nContent-Length: [0-9]+\r\n", "\r\nContent-Length: " + gzip.length + "\r\n")
                + "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n";
        return new HttpResponse(status, lines.getBytes(StandardCharsets.ISO_8859_1), gzip, null, null, false);
    }

    /** The streamed body, for one request only. */
    @Nullable
    HttpBody stream() {
        return stream;
    }

    /** Reserves the memory for the body until {@link #release}, once for all clients; false when it is not available. */
    boolean hold(MemoryBudget budget) {
        return readers.hold(budget, body.length);
    }

    /** Releases the memory after the last client. */
    void release(MemoryBudget budget) {
        readers.release(budget, body.length);
    }

    /** For tests. */
    public String bodyText() {
        HttpResponse whole = written(AnswerMemory.unlimited().lease(), Runnable::run)
                .toCompletableFuture()
                .join();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(whole.body);
        HttpBody pieces = whole.stream;
        if (pieces != null) {
            for (byte[] piece = pieces.next().toCompletableFuture().join();
                    piece != null;
                    piece = pieces.next().toCompletableFuture().join()) {
                bytes.writeBytes(piece);
            }
            pieces.close();
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Collects headers, in the order of the calls. */
    public static final class Builder {

        private final int status;
        private final List<String> headers = new ArrayList<>();

        private Builder(int status) {
            this.status = status;
        }

        /** Adds a header unless its value is null. Replaces line breaks by spaces. */
        public Builder header(String name, @Nullable String value) {
            if (value != null) {
                headers.add(name);
                headers.add(value.replace('\r', ' ').replace('\n', ' '));
            }
            return this;
        }

        public Builder contentType(@Nullable String contentType) {
            return header("Content-Type", contentType);
        }

        /** The headers with which Nacos disables caching. */
        public Builder notCached() {
            return header("Pragma", "no-cache")
                    .header("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")
                    .header("Cache-Control", "no-cache,no-store");
        }

        public HttpResponse withoutBody() {
            return body(EMPTY);
        }

        public HttpResponse body(byte[] body) {
            return new HttpResponse(status, head(body.length), body, null, null, isCompressible());
        }

        /** A streamed body; the response closes it. */
        public HttpResponse body(HttpBody body) {
            return new HttpResponse(status, head(body.length()), EMPTY, body, null, false);
        }

        public HttpResponse body(PendingBody body) {
            return new HttpResponse(status, head(HttpBody.UNKNOWN_LENGTH), EMPTY, null, body, isCompressible());
        }

        private boolean isCompressible() {
            boolean isText = false;
            for (int i = 0; status == 200 && i < headers.size(); i += 2) {
                switch (headers.get(i).toLowerCase(Locale.ROOT)) {
                    case "content-type" -> isText = isText(headers.get(i + 1));
                    case "content-encoding", "vary" -> {
                        return false;
                    }
                    default -> {}
                }
            }
            return isText;
        }

        private static boolean isText(String contentType) {
            return contentType.startsWith("text/")
                    || contentType.startsWith("application/json")
                    || contentType.startsWith("application/xml");
        }

        private byte[] head(long length) {
            ByteArrayOutputStream head = new ByteArrayOutputStream(256);
            put(
                    head,
                    "HTTP/1.1 " + status + ' '
                            + HttpResponseStatus.valueOf(status).reasonPhrase() + "\r\n");
            for (int i = 0; i < headers.size(); i += 2) {
                put(head, headers.get(i) + ": " + headers.get(i + 1) + "\r\n");
            }
            if (length != HttpBody.UNKNOWN_LENGTH) {
                put(head, CONTENT_LENGTH + length + "\r\n");
            }
            return head.toByteArray();
        }

        private static void put(ByteArrayOutputStream head, String text) {
            head.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }
}
