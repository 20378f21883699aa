package io.cairn.server.http.route;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A request straight to an endpoint, which remembers what parameters the endpoint asked for. */
final class RecordedCall {

    private final String query;

    private RecordedCall(String query) {
        this.query = query;
    }

    /** With nothing, with what is required, with that and each other parameter alone, and with all that is declared. */
    static List<RecordedCall> variants(HttpRoute route) {
        List<RecordedCall> variants = new ArrayList<>();
        variants.add(new RecordedCall(""));
        variants.add(new RecordedCall(query(route, Parameter::isRequired)));
        for (Parameter<?> one : route.operation().parameters()) {
            if (!one.inHeader() && !one.isRequired()) {
                variants.add(new RecordedCall(query(route, parameter -> parameter == one || parameter.isRequired())));
            }
        }
        variants.add(new RecordedCall(query(route, parameter -> true)));
        return variants;
    }

    private static String query(HttpRoute route, Predicate<Parameter<?>> chosen) {
        return route.operation().parameters().stream()
                .filter(parameter -> !parameter.inHeader() && chosen.test(parameter))
                .map(parameter ->
                        parameter.name() + '=' + URLEncoder.encode(example(parameter), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private static String example(Parameter<?> parameter) {
        return switch (parameter.schema().type()) {
            case "integer" -> "7";
            case "number" -> "0.5";
            case "boolean" -> "true";
            default ->
                switch (parameter.name()) {
                    case "ip" -> "10.0.0.1";
                    case "namespaceId", "tenant", "namespace", "customNamespaceId" -> "documented";
                    case "search" -> "blur";
                    case "beta", "checkNamespaceIdExist", "clone", "export", "exportV2", "import" -> "true";
                    case "show" -> "all";
                    case "delType" -> "ids";
                    case "instances", "ids" -> "";
                    case "metadata" -> "{\"k\":\"v\"}";
                    case "healthChecker" -> "{\"type\":\"TCP\"}";
                    case "selector" -> "{\"type\":\"none\"}";
                    case "level", "logLevel" -> "INFO";
                    case "logName" -> "core";
                    case "sort", "order" -> "";
                    default -> "x1";
                };
        };
    }

    /** Sends it and tells the names that were asked for; what is answered does not matter. */
    Set<String> answer(HttpRoute route) {
        HttpHeaders headers = new DefaultHttpHeaders();
        String path = "/nacos" + route.path().replace("/**", "/x");
        HttpRequest request = HttpRequest.to(
                route.method(), path + '?' + query, headers::get, new byte[0], "127.0.0.1", Runnable::run);
        TreeSet<String> read = new TreeSet<>();
        request.observe(name -> {
            synchronized (read) {
                read.add(name);
            }
        });
        try {
            CompletableFuture<HttpResponse> answer = route.handle(request).toCompletableFuture();
            answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (RuntimeException | ExecutionException e) {
            // Refused: it has asked for something before.
        } catch (TimeoutException e) {
            throw new AssertionError("no answer from " + route.method() + ' ' + route.path(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        synchronized (read) {
            return new TreeSet<>(read);
        }
    }
}
