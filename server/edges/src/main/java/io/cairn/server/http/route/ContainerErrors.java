package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Reports failures in the JSON of a servlet container, as Nacos does by default. */
public final class ContainerErrors implements HttpErrors {

    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneOffset.UTC);

    /** Of a path in an answer. */
    private static final int MAX_SHOWN = 2_000;

    private final Clock clock;

    public ContainerErrors(Clock clock) {
        this.clock = clock;
    }

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        return answer(request, status(failure.code()), failure.text(), HttpResponse.JSON);
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return HttpResponse.status(405)
                .header("Allow", allowed)
                .contentType(HttpResponse.JSON)
                .body(body(
                        request,
                        405,
                        isVersion3(request)
                                ? "Method '" + request.method() + "' is not supported."
                                : "Request method '" + request.method() + "' not supported"));
    }

    HttpResponse unknownPath(HttpRequest request) {
        return answer(
                request,
                404,
                isVersion3(request)
                        ? "No endpoint " + request.method() + ' ' + request.path() + '.'
                        : "No message available",
                request.path().contains("/v1/cs/") ? HttpResponse.JSON_UTF8 : HttpResponse.JSON);
    }

    /** The framework of Nacos's version 3 has other words than that of the older versions. */
    private static boolean isVersion3(HttpRequest request) {
        return request.path().contains("/v3/");
    }

    public HttpResponse answer(HttpRequest request, int status, String message, String contentType) {
        return HttpResponse.status(status).contentType(contentType).body(body(request, status, message));
    }

    private byte[] body(HttpRequest request, int status, String message) {
        return new JsonOutput(256)
                .text("timestamp", TIMESTAMP.format(clock.instant()))
                .number("status", status)
                .text("error", HttpResponseStatus.valueOf(status).reasonPhrase())
                .text("message", message)
                .text("path", shown(request.path()))
                .toBytes();
    }

    private static String shown(String path) {
        return path.length() <= MAX_SHOWN ? path : path.substring(0, MAX_SHOWN) + "...";
    }

    public static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_PARAMETER, LIMIT_EXCEEDED -> 400;
            case NOT_FOUND -> 404;
            case CONFLICT -> 409;
            case UNSUPPORTED -> 501;
            case BUSY, UNAVAILABLE, BEHIND -> 503;
            case INTERNAL -> 500;
        };
    }
}
