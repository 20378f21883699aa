package io.cairn.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.admission.MemoryBudget;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A whole answer: status line and headers as bytes without the closing empty line, and a body. Encoded once and shared by
 * all who get the same answer. Thread-safe.
 */
public final class HttpResponse {

    public static final String TEXT = "text/plain;charset=UTF-8";
    public static final String JSON = "application/json";
    public static final String JSON_UTF8 = "application/json;charset=UTF-8";

    private static final byte[] EMPTY = {};

    private final int status;
    private final byte[] head;
    private final byte[] body;
    private final @Nullable HttpBody stream;
    private final boolean compressible;
    /** Made when it is first asked for; made twice it is the same. */
    private @Nullable HttpResponse varying;
    /** Kept so that all who get this answer share it. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<HttpResponse> compressed;
    /** Made when it is first sent over HTTP/2; made twice it is the same. */
    private @Nullable Http2Head http2Head;
    /** To how many clients it is on its way, as far as it is large. */
    @GuardedBy("this")
    private int readers;

    private HttpResponse(int status, byte[] head, byte[] body, @Nullable HttpBody stream, boolean compressible) {
        this.status = status;
        this.head = head;
        this.body = body;
        this.stream = stream;
        this.compressible = compressible;
    }

    /** An answer with a text body in UTF-8. */
    public static HttpResponse of(int status, String contentType, String body) {
        return status(status).contentType(contentType).body(body.getBytes(StandardCharsets.UTF_8));
    }

    /** An answer with status 200 and a text body in UTF-8. */
    public static HttpResponse ok(String contentType, String body) {
        return of(200, contentType, body);
    }

    /** Starts an answer with that status. */
    public static Builder status(int status) {
        return new Builder(status);
    }

    public int status() {
        return status;
    }

    /** The status line and the headers as HTTP/1.1 sends them, without those of the connection. Not to be changed. */
    public byte[] head() {
        return head;
    }

    /** The head as HTTP/2 sends it. */
    Http2Head http2Head() {
        Http2Head known = http2Head;
        if (known == null) {
            known = Http2Head.of(status, head);
            http2Head = known;
        }
        return known;
    }

    /** The same response with one more header. */
    public HttpResponse with(String name, String value) {
        byte[] line = (name + ": " + value + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] longer = Arrays.copyOf(head, head.length + line.length);
        System.arraycopy(line, 0, longer, head.length, line.length);
        return new HttpResponse(status, longer, body, stream, compressible);
    }

    byte[] body() {
        return body;
    }

    /** Whether the body is text that is not encoded already. */
    boolean isCompressible() {
        return compressible;
    }

    /** The same response, saying that clients that take other encodings get another one. */
    HttpResponse varying() {
        HttpResponse known = varying;
        if (known == null) {
            HttpResponse same = with("Vary", "Accept-Encoding");
            known = new HttpResponse(status, same.head, body, stream, false);
            varying = known;
        }
        return known;
    }

    /**
     * The same response with its body compressed, made once; {@link #varying} where that does not pay.
     *
     * @param compress the same function everywhere; its result never fails
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
        return new HttpResponse(status, lines.getBytes(StandardCharsets.ISO_8859_1), gzip, null, false);
    }

    /** The body where it comes piece by piece; such an answer is for one request alone. */
    @Nullable
    HttpBody stream() {
        return stream;
    }

    /**
     * Takes from the budget what the body needs until {@link #release}, once for all who read it at the same time; false
     * when that is not there at the moment.
     */
    synchronized boolean hold(MemoryBudget budget) {
        if (readers == 0 && !budget.take(body.length)) {
            return false;
        }
        readers++;
        return true;
    }

    /** One reader less. */
    synchronized void release(MemoryBudget budget) {
        readers--;
        if (readers == 0) {
            budget.release(body.length);
        }
    }

    /** The body as text, for tests. */
    public String bodyText() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** Collects headers, in the order of the calls. */
    public static final class Builder {

        private final int status;
        private final List<String> headers = new ArrayList<>();

        private Builder(int status) {
            this.status = status;
        }

        /** Adds the header unless its value is null. Line breaks in a value are taken out. */
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

        /** The three headers by which Nacos keeps caches away. */
        public Builder notCached() {
            return header("Pragma", "no-cache")
                    .header("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")
                    .header("Cache-Control", "no-cache,no-store");
        }

        public HttpResponse withoutBody() {
            return body(EMPTY);
        }

        public HttpResponse body(byte[] body) {
            return new HttpResponse(status, head(body.length), body, null, isCompressible());
        }

        /** A body that comes piece by piece; the answer closes it. */
        public HttpResponse body(HttpBody body) {
            return new HttpResponse(status, head(body.length()), EMPTY, body, false);
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
                put(head, "Content-Length: " + length + "\r\n");
            }
            return head.toByteArray();
        }

        private static void put(ByteArrayOutputStream head, String text) {
            head.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }
}
