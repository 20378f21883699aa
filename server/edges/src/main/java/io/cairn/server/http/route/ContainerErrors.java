package io.cairn.server.http.route;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The JSON in which a servlet container reports failures, which Nacos answers with wherever it has no other words. */
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
    public HttpAnswer failed(HttpCall call, CairnException failure) {
        return answer(call, status(failure.code()), failure.text(), HttpAnswer.JSON);
    }

    @Override
    public HttpAnswer wrongMethod(HttpCall call, String allowed) {
        return HttpAnswer.status(405)
                .header("Allow", allowed)
                .contentType(HttpAnswer.JSON)
                .body(body(
                        call,
                        405,
                        isVersion3(call)
                                ? "Method '" + call.method() + "' is not supported."
                                : "Request method '" + call.method() + "' not supported"));
    }

    /** The answer to a path that does not exist. */
    HttpAnswer unknownPath(HttpCall call) {
        return answer(
                call,
                404,
                isVersion3(call) ? "No endpoint " + call.method() + ' ' + call.path() + '.' : "No message available",
                call.path().contains("/v1/cs/") ? HttpAnswer.JSON_UTF8 : HttpAnswer.JSON);
    }

    /** The framework below version 3 of the reference has other words than the one below the older versions. */
    private static boolean isVersion3(HttpCall call) {
        return call.path().contains("/v3/");
    }

    /** A failure in these words, with that status. */
    public HttpAnswer answer(HttpCall call, int status, String message, String contentType) {
        return HttpAnswer.status(status).contentType(contentType).body(body(call, status, message));
    }

    private byte[] body(HttpCall call, int status, String message) {
        return new JsonOutput(256)
                .text("timestamp", TIMESTAMP.format(clock.instant()))
                .number("status", status)
                .text("error", HttpResponseStatus.valueOf(status).reasonPhrase())
                .text("message", message)
                .text("path", shown(call.path()))
                .toBytes();
    }

    private static String shown(String path) {
        return path.length() <= MAX_SHOWN ? path : path.substring(0, MAX_SHOWN) + "...";
    }

    /** The status that stands for a kind of failure. */
    public static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_PARAMETER, LIMIT_EXCEEDED -> 400;
            case NOT_FOUND -> 404;
            case CONFLICT -> 409;
            case UNSUPPORTED -> 501;
            case BUSY, UNAVAILABLE -> 503;
            case INTERNAL -> 500;
        };
    }
}
