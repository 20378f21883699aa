package io.cairn.server.cluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads the nodes from a web server, one on each line. Every node is such a server: each answers {@code /nacos/serverlist}. */
final class AddressServerLookup implements MemberLookup {

    static final String DOMAIN = "address.server.domain";
    static final String PORT = "address.server.port";
    static final String URL = "address.server.url";
    static final int DEFAULT_PORT = 8080;
    static final String DEFAULT_URL = "/nacos/serverlist";

    /** Room for thousands of nodes; a page of another service may be larger. */
    static final int MAX_BYTES = 64 * 1024;

    private static final int OK = 200;

    private final URI uri;
    private final int usualPort;
    private final Duration timeout;
    private final HttpClient client;

    /**
     * @param path begins with a slash
     * @param timeout for the whole answer
     */
    AddressServerLookup(String domain, int port, String path, int usualPort, Duration timeout) {
        try {
            this.uri = URI.create("http://" + MemberAddress.join(domain, port) + path);
        } catch (IllegalArgumentException e) {
            throw Settings.refused(URL, path, "the path of a URL, such as " + DEFAULT_URL);
        }
        if (uri.getHost() == null) {
            throw Settings.refused(DOMAIN, domain, "a host name or an IP address");
        }
        this.usualPort = usualPort;
        this.timeout = timeout;
        this.client = HttpClient.newBuilder()
                .connectTimeout(timeout)
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();
    }

    @Override
    public List<MemberAddress> read() throws IOException {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(timeout).GET().build();
        // The time-out of a request covers its headers only, so wait for the future.
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request, info -> new LimitedBody(MAX_BYTES));
        HttpResponse<byte[]> response;
        try {
            response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException(source() + " did not answer within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(source() + " cannot be read: " + cause, e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while reading " + source());
        }
        if (response.statusCode() != OK) {
            throw new IOException(source() + " answered with the status " + response.statusCode() + " (expected: 200)");
        }
        String text = new String(response.body(), StandardCharsets.UTF_8);
        List<MemberAddress> members = MemberLines.parse(text, source(), usualPort);
        if (members.isEmpty()) {
            throw new IOException(source() + " names no node (expected: ip:port of each node on a line)");
        }
        return members;
    }

    @Override
    public String source() {
        return uri.toString();
    }

    /** An address server may list only the nodes in service, and this node is not while it starts. */
    @Override
    public boolean isComplete() {
        return false;
    }
}
