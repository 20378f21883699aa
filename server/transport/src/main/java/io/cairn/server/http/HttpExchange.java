package io.cairn.server.http;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request and its response. As a function, returns the value of a header, whose name ignores case. */
abstract class HttpExchange implements Function<String, @Nullable String> {

    /** Null before the whole request was received. */
    @Nullable
    HttpRequest request;

    @Nullable
    RequestBody body;
    /** Set when the body is written to a file. */
    @Nullable
    Upload upload;
    /** The body of a streamed response in progress. */
    @Nullable
    HttpBody streaming;

    boolean isComplete;
    boolean isAnswered;
    /** Whether the client has disconnected or cancelled the request. */
    boolean isOver;

    abstract String method();

    /** Path and query; empty when unreadable. */
    abstract String target();

    /** Negative when absent. */
    abstract long announcedBytes();

    abstract boolean isContinueExpected();

    /** Whether the response has no body, regardless of its head. */
    final boolean isHead() {
        return method().equals("HEAD");
    }
}
