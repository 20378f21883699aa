package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** Queries address servers and uses the first response with an address. Blocks; used on one thread. */
public final class AddressServers {

    public static final String PATH = "/nacos/serverlist";

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int MAX_ANSWER_BYTES = 256 * 1024;

    private final List<URI> urls;
    private final Duration timeout;
    private final @Nullable SSLSocketFactory tls;
    private final Function<String, ServerAddress> parse;

    /** @param parse reads a line; throws {@link IllegalArgumentException} for an invalid line */
    public AddressServers(
            List<URI> urls, Duration timeout, @Nullable SSLSocketFactory tls, Function<String, ServerAddress> parse) {
        this.urls = List.copyOf(urls);
        this.timeout = timeout;
        this.tls = tls;
        this.parse = parse;
    }

    /**
     * Reads the URL of an address server.
     *
     * @throws IllegalArgumentException when the text is not an http or https URL
     */
    public static URI parse(String text) {
        URI url;
        try {
            url = URI.create(text.strip());
        } catch (IllegalArgumentException e) {
            throw malformed(text, e);
        }
        boolean http = "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
        if (!http || url.getHost() == null) {
            throw malformed(text, null);
        }
        String path = url.getRawPath();
        return path == null || path.isEmpty() || path.equals("/") ? url.resolve(PATH) : url;
    }

    private static IllegalArgumentException malformed(String text, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "address server: '" + text + "' (expected: a URL such as http://10.0.0.5:8080" + PATH + ')', cause);
    }

    /** @throws CairnException {@code UNAVAILABLE} when no address server returns an address */
    List<ServerAddress> fetch() {
        StringBuilder failures = new StringBuilder();
        for (URI url : urls) {
            String why;
            try {
                List<ServerAddress> named = ask(url);
                if (!named.isEmpty()) {
                    return named;
                }
                why = "the list is empty";
            } catch (IOException e) {
                why = String.valueOf(e.getMessage() == null ? e : e.getMessage());
            }
            failures.append(failures.isEmpty() ? "" : "; ")
                    .append(url)
                    .append(": ")
                    .append(why);
        }
        throw new CairnException(
                ErrorCode.UNAVAILABLE,
                "No address server names a server: " + failures
                        + "; check the URL, and that at least one server is in service");
    }

    private List<ServerAddress> ask(URI url) throws IOException {
        // The connections bypass the JVM's proxy as well.
        HttpURLConnection http = (HttpURLConnection) url.toURL().openConnection(Proxy.NO_PROXY);
        SSLSocketFactory factory = tls;
        if (http instanceof HttpsURLConnection https && factory != null) {
            https.setSSLSocketFactory(factory);
        }
        try {
            int patience = Math.toIntExact(timeout.toMillis());
            http.setConnectTimeout(patience);
            http.setReadTimeout(patience);
            http.setInstanceFollowRedirects(false);
            // A kept connection would occupy a thread.
            http.setRequestProperty("Connection", "close");
            int status = http.getResponseCode();
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IOException("answered with " + status);
            }
            try (InputStream in = http.getInputStream()) {
                byte[] body = in.readNBytes(MAX_ANSWER_BYTES + 1);
                if (body.length > MAX_ANSWER_BYTES) {
                    throw new IOException("the answer is longer than " + MAX_ANSWER_BYTES + " bytes");
                }
                return read(url, new String(body, StandardCharsets.UTF_8));
            }
        } finally {
            http.disconnect();
        }
    }

    private List<ServerAddress> read(URI url, String body) {
        Set<ServerAddress> named = new LinkedHashSet<>();
        for (String line : body.lines().toList()) {
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            try {
                named.add(parse.apply(text));
            } catch (IllegalArgumentException e) {
                LOG.log(System.Logger.Level.WARNING, "A line from " + url + " is left out: " + e.getMessage());
            }
        }
        return List.copyOf(named);
    }
}
