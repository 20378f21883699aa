package io.cairn.cli;

import io.cairn.cli.Failure.Remedy;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The HTTP API of one server. Blocks. */
final class Api {

    private static final int PAGE = 5000;
    private static final int SHOWN = 80;
    private static final String SILENT_NODES = "Cairn-Silent-Nodes";
    private static final Pattern TITLE =
            Pattern.compile("<title[^>]*>\\s*([^<]*?)\\s*</title", Pattern.CASE_INSENSITIVE);
    /** The wrapping that the server, like Nacos, adds to some messages. */
    private static final Pattern WRAPPED = Pattern.compile("caused: (.*?);?", Pattern.DOTALL);

    static final String LOG_IN =
            " (log in as a user with this right, by --user, --token-file or the environment variable CAIRN_TOKEN)";

    private final String base;
    private final Duration timeout;
    private final HttpClient http;
    private @Nullable String token;

    /** @param base scheme, host, port and context path */
    Api(String base, Duration timeout, @Nullable SSLContext tls) {
        this.base = base;
        this.timeout = timeout;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
        if (tls != null) {
            builder.sslContext(tls);
        }
        http = builder.build();
    }

    void token(String value) {
        token = value;
    }

    boolean hasToken() {
        return token != null;
    }

    String base() {
        return base;
    }

    /** Leaves out pairs whose value is null or empty. */
    static Map<String, String> parameters(@Nullable String... namesAndValues) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String name = namesAndValues[i];
            String value = namesAndValues[i + 1];
            if (name != null && value != null && !value.isEmpty()) {
                parameters.put(name, value);
            }
        }
        return parameters;
    }

    static String encode(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(each -> each.getKey() + '=' + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    @Nullable
    Object get(String path, Map<String, String> parameters) {
        return data(send(request(path, parameters).GET()));
    }

    /**
     * Data of all nodes.
     *
     * @param silent comma-separated addresses of the missing nodes, or empty
     */
    record OfAllNodes(@Nullable Object data, String silent) {}

    OfAllNodes getOfAllNodes(String path, Map<String, String> parameters) {
        HttpResponse<String> answer = send(request(path, parameters).GET());
        return new OfAllNodes(
                data(answer), answer.headers().firstValue(SILENT_NODES).orElse(""));
    }

    /** Empty when the server answers "not found". */
    Optional<Object> find(String path, Map<String, String> parameters) {
        HttpResponse<String> answer = send(request(path, parameters).GET());
        if (answer.statusCode() == 404 && isEnvelope(parsed(answer.body()))) {
            return Optional.empty();
        }
        return Optional.ofNullable(data(answer));
    }

    @Nullable
    Object delete(String path, Map<String, String> parameters) {
        return data(send(request(path, parameters).DELETE()));
    }

    @Nullable
    Object post(String path, Map<String, String> form) {
        return data(send(form("POST", path, form)));
    }

    @Nullable
    Object put(String path, Map<String, String> form) {
        return data(send(form("PUT", path, form)));
    }

    HttpRequest.Builder form(String method, String path, Map<String, String> form) {
        return request(path, Map.of())
                .header("Content-Type", "application/x-www-form-urlencoded")
                .method(method, HttpRequest.BodyPublishers.ofString(encode(form)));
    }

    HttpRequest.Builder request(String path, Map<String, String> parameters) {
        String query = encode(parameters);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(base + path + (query.isEmpty() ? "" : '?' + query)))
                .timeout(timeout);
        String bearer = token;
        if (bearer != null) {
            request.header("Authorization", "Bearer " + bearer);
        }
        return request;
    }

    /**
     * Passes the items of a list to a consumer, page by page.
     *
     * @param limit of the passed items
     * @return the size of the list
     */
    long pages(String path, Map<String, String> parameters, int limit, Consumer<Object> each) {
        int given = 0;
        for (int page = 1; ; page++) {
            Map<String, String> asked = new LinkedHashMap<>(parameters);
            asked.put("pageNo", Integer.toString(page));
            asked.put("pageSize", Integer.toString(Math.min(PAGE, limit)));
            HttpResponse<String> answer = send(request(path, asked).GET());
            Object data = data(answer, "a page without items");
            if (!(Json.fields(data).get("pageItems") instanceof List<?> items)) {
                throw foreign(answer, "a page without items");
            }
            for (Object item : items) {
                if (given < limit) {
                    each.accept(item);
                    given++;
                }
            }
            if (given >= limit || items.isEmpty() || page >= number(Json.text(data, "pagesAvailable"))) {
                return Math.max(given, number(Json.text(data, "totalCount")));
            }
        }
    }

    private static long number(String text) {
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return exchange(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    /**
     * Stores the body in a file that only its owner can read. A complete body replaces an existing file.
     *
     * @param check of the downloaded file before it is stored; not called for a terminal or pipe
     */
    void download(HttpRequest.Builder request, Path file, ArchiveCheck check) throws IOException {
        Upload.checkNoFolder(file);
        Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            receive(request, target);
            return;
        }
        Path folder = Objects.requireNonNull(target.getParent());
        if (!Files.isDirectory(folder)) {
            throw new Failure(folder + ": no such folder");
        }
        // Only the owner can read a temporary file.
        Path part = Files.createTempFile(folder, target.getFileName() + ".", ".part");
        try {
            receive(request, part);
            check.check(part);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private void receive(HttpRequest.Builder request, Path file) throws IOException {
        HttpResponse<?> answer = exchange(
                request,
                head -> head.statusCode() == 200
                                && !isPage(
                                        head.headers()
                                                .firstValue("Content-Type")
                                                .orElse(""),
                                        "")
                        ? HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.ofFile(file, StandardOpenOption.WRITE),
                                path -> (Object) path)
                        : HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8), text -> (Object) text));
        if (!(answer.body() instanceof Path)) {
            throw answer.statusCode() == 200
                    ? foreign(answer, shown(answer, String.valueOf(answer.body())))
                    : refused(answer, String.valueOf(answer.body()));
        }
        if (Files.isRegularFile(file) && !isArchive(file)) {
            throw foreign(answer, "no zip archive");
        }
    }

    private static boolean isArchive(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] head = in.readNBytes(2);
            return head.length == 2 && head[0] == 'P' && head[1] == 'K';
        }
    }

    interface ArchiveCheck {
        void check(Path archive) throws IOException;
    }

    <T> HttpResponse<T> exchange(HttpRequest.Builder builder, HttpResponse.BodyHandler<T> handler) {
        HttpRequest request = builder.build();
        try {
            return http.send(request, handler);
        } catch (HttpTimeoutException e) {
            throw new Failure("no answer from " + base + " in time (--timeout)", Remedy.PATIENCE, e);
        } catch (ConnectException e) {
            if (isUnresolved(e)) {
                throw new Failure(
                        base + ": host " + request.uri().getHost()
                                + " is unknown (--server names host, port and context path, such as host:8848/nacos)",
                        Remedy.PATIENCE,
                        e);
            }
            throw new Failure(
                    "no server answers at " + base
                            + " (start a server with bin/startup.sh, or name another by --server)",
                    Remedy.PATIENCE,
                    e);
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage() == null ? e : e.getMessage());
            if (message.contains("PKIX") || message.contains("certification path")) {
                throw new Failure(
                        base + ": its certificate is not trusted (--ca-file names the trusted certificates)", e);
            }
            if (message.contains("header parser received no bytes")) {
                message = "the connection ended before an answer";
            }
            throw new Failure(base + ": " + message, Remedy.PATIENCE, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted", e);
        }
    }

    private static boolean isUnresolved(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    static @Nullable Object data(HttpResponse<String> answer) {
        return data(answer, null);
    }

    /** @param otherwise the text for a response without an envelope; null for its own */
    private static @Nullable Object data(HttpResponse<String> answer, @Nullable String otherwise) {
        if (answer.statusCode() != 200) {
            throw refused(answer);
        }
        Object body = parsed(answer.body());
        if (!isEnvelope(body)) {
            throw foreign(answer, body == null || otherwise == null ? shown(answer, answer.body()) : otherwise);
        }
        Map<String, @Nullable Object> envelope = Json.fields(body);
        if (!"0".equals(Json.text(body, "code")) && !"200".equals(Json.text(body, "code"))) {
            throw refused(answer);
        }
        return envelope.get("data");
    }

    /**
     * The object in a response without an envelope, as some old endpoints have it.
     *
     * @param field of every such object
     */
    static Object bare(HttpResponse<String> answer, String field) {
        if (answer.statusCode() != 200) {
            throw refused(answer);
        }
        Object body = parsed(answer.body());
        if (body == null || !Json.fields(body).containsKey(field)) {
            throw foreign(answer, shown(answer, answer.body()));
        }
        return body;
    }

    /** Null for other texts than JSON. */
    private static @Nullable Object parsed(String text) {
        try {
            return Json.read(text);
        } catch (Failure notJson) {
            return null;
        }
    }

    /** Whether it is Cairn's envelope: a code, with a message or data. */
    private static boolean isEnvelope(@Nullable Object body) {
        Map<String, @Nullable Object> fields = Json.fields(body);
        return fields.containsKey("code") && (fields.containsKey("message") || fields.containsKey("data"));
    }

    static Failure refused(HttpResponse<String> answer) {
        return refused(answer, answer.body());
    }

    /** The failure in the response, of every API version; or a failure that no Cairn has answered. */
    private static Failure refused(HttpResponse<?> answer, String body) {
        int status = answer.statusCode();
        String text = body.strip();
        if (isForeign(answer, text)) {
            return foreign(answer, shown(answer, text));
        }
        if (text.startsWith("{")) {
            Object envelope = parsed(text);
            // Version 1 sends some errors without an envelope, but never a 404.
            if (envelope == null || (status == 404 && !isEnvelope(envelope))) {
                return foreign(answer, shown(answer, text));
            }
            String message = Json.text(envelope, "message");
            Object data = Json.fields(envelope).get("data");
            text = data instanceof String detail && !detail.isEmpty() ? detail : message;
        }
        Matcher wrapped = WRAPPED.matcher(text);
        if (wrapped.matches()) {
            text = wrapped.group(1);
        }
        String hint = status == 401 || status == 403 ? LOG_IN : "";
        text = plain(text);
        return Failure.saidByServer((text.isEmpty() ? "status " + status : oneLine(text)) + hint, remedy(status));
    }

    /** Some messages of Nacos contain HTML. */
    private static String plain(String text) {
        return text.replace("&#39;", "'")
                .replace("&quot;", "\"")
                .replace("&#34;", "\"")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    private static Remedy remedy(int status) {
        return status == 401 || status == 403
                ? Remedy.LOGIN
                : status == 429 || status >= 500 ? Remedy.PATIENCE : Remedy.NONE;
    }

    /** Whether Cairn never sends such a response below its context path: a page, a redirect, an unknown path. */
    private static boolean isForeign(HttpResponse<?> answer, String text) {
        int status = answer.statusCode();
        return isPage(answer.headers().firstValue("Content-Type").orElse(""), text)
                || (status >= 300 && status < 400)
                || (status == 404
                        && !text.startsWith("{")
                        && !WRAPPED.matcher(text).matches());
    }

    private static boolean isPage(String contentType, String text) {
        return contentType.toLowerCase(Locale.ROOT).contains("html") || text.startsWith("<");
    }

    private static Failure foreign(HttpResponse<?> answer, String found) {
        URI asked = answer.uri();
        String address = asked.getScheme() + "://" + asked.getRawAuthority() + asked.getRawPath();
        return new Failure(
                "no Cairn server answers at " + address + ", but status " + answer.statusCode() + " with " + found
                        + " (--server names host, port and context path, such as host:8848/nacos)",
                remedy(answer.statusCode()));
    }

    /** Describes a response without JSON. */
    private static String shown(HttpResponse<?> answer, String body) {
        Optional<String> elsewhere = answer.headers().firstValue("Location");
        if (elsewhere.isPresent()) {
            return "a redirection to " + oneLine(elsewhere.get());
        }
        String text = body.strip();
        if (text.isEmpty()) {
            return "nothing in it";
        }
        if (isPage(answer.headers().firstValue("Content-Type").orElse(""), text)) {
            Matcher title = TITLE.matcher(text);
            return title.find() ? "the page '" + shortened(title.group(1)) + "'" : "a page";
        }
        return "the text '" + shortened(text) + "'";
    }

    private static String shortened(String text) {
        String line = oneLine(text.strip());
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
    }

    static String oneLine(String text) {
        return text.replaceAll("\\s*\\R\\s*", " ").replaceAll("\\p{Cntrl}", "?");
    }
}
