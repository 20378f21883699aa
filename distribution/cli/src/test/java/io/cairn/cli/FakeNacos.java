package io.cairn.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.cairn.api.naming.Instance;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.Pace;
import io.cairn.testing.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The HTTP interface for clients of a Nacos 1.x or 2.x, with answers that a test chooses. */
final class FakeNacos implements AutoCloseable {

    private static final Pattern PAGE = Pattern.compile("\\bpageNo=(\\d+)");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** The ports of the registered instances. */
    final Set<Integer> registered = new ConcurrentSkipListSet<>();

    /** Methods and ports of the requests about instances. */
    final Queue<String> requests = new ConcurrentLinkedQueue<>();

    /** By {@code POST 81} (the port), by path, or by {@code /path?parameter}. */
    final Map<String, Integer> statuses = new ConcurrentHashMap<>();

    /** By path, also with {@code #} and the number of a page, for requests with status 200. */
    final Map<String, String> bodies = new ConcurrentHashMap<>();

    volatile int status = 200;
    final CountDownLatch arrived = new CountDownLatch(1);
    /** Awaited by registrations. */
    volatile CountDownLatch barrier = new CountDownLatch(0);

    FakeNacos() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            Matcher page = PAGE.matcher(String.valueOf(exchange.getRequestURI().getQuery()));
            String body =
                    page.find() ? bodies.getOrDefault(path + '#' + page.group(1), bodies.get(path)) : bodies.get(path);
            int answer = statuses.getOrDefault(path, body == null ? 404 : 200);
            for (String pair :
                    String.valueOf(exchange.getRequestURI().getQuery()).split("&")) {
                answer = statuses.getOrDefault(path + '?' + pair.split("=", 2)[0], answer);
            }
            String said = "{\"code\":" + answer + ",\"message\":\"said by the test\",\"data\":null}";
            answer(exchange, answer, body == null || answer != 200 ? said : body);
        });
        server.createContext("/v1/ns/instance", this::instance);
        server.setExecutor(threads);
        server.start();
    }

    BridgeServer bridge(int rate) {
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        return new BridgeServer("--to", () -> new Api(base, Patience.PATIENCE, null), new Pace(rate));
    }

    List<Instance> shown() {
        return registered.stream().map(FakeNacos::copy).toList();
    }

    static Instance copy(int port) {
        return Instance.of("10.0.0.1", port).withMetadata(Map.of(Origin.MARK, "old:8848"));
    }

    private void instance(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String query = exchange.getRequestURI().getRawQuery();
        Map<String, String> form = Arrays.stream((query == null ? body : query).split("&"))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
        int port = Integer.parseInt(form.getOrDefault("port", "0"));
        String method = exchange.getRequestMethod();
        requests.add(method + ' ' + port);
        arrived.countDown();
        if (method.equals("POST")) {
            await(barrier);
        }
        int answer = statuses.getOrDefault(method + ' ' + port, status);
        String code = "10200";
        if (answer == 200) {
            switch (method) {
                case "POST" -> registered.add(port);
                case "DELETE" -> registered.remove(port);
                default -> code = registered.contains(port) ? "10200" : "20404";
            }
        }
        answer(exchange, answer, answer == 200 ? "{\"code\":" + code + '}' : "refused by the test");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
