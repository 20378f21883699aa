package io.cairn.server.http;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response. The subclass of each protocol knows the head of the request. As a function, it finds the
 * value of a header, whatever the case of the name. Used on the event loop of the connection.
 */
abstract class HttpExchange implements Function<String, @Nullable String> {

    /** The request as the handler gets it; null before the whole of it has come. */
    @Nullable
    HttpRequest request;

    @Nullable
    RequestBody body;
    /** Set where the body goes into a file as it comes. */
    @Nullable
    Upload upload;
    /** The body of the response, where it comes piece by piece and more of it is due. */
    @Nullable
    HttpBody streaming;
    /** Whether the whole request has come. */
    boolean isComplete;
    /** Whether the response has begun. */
    boolean isAnswered;
    /** Whether the client has gone, or wants no response any more. */
    boolean isOver;

    abstract String method();

    /** Path and query; empty when they cannot be read. */
    abstract String target();

    /** The length of the body as the head states it, in bytes; negative when it does not. */
    abstract long announcedBytes();

    /** Whether the client waits for a permission to send the body. */
    abstract boolean isContinueExpected();

    /** Whether the response has no body, whatever its head says. */
    final boolean isHead() {
        return method().equals("HEAD");
    }
}
