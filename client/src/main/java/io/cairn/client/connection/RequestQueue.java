package io.cairn.client.connection;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.client.auth.Login;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Requests on their way, through broken connections and ended tokens, until their time is up. Thread-safe. */
final class RequestQueue {

    private static final int MOST_UNDERWAY = 10_000;
    private static final long PAUSE_MILLIS = 50;
    /** Refusals are short; a long answer need not be read twice. */
    static final int LONGEST_REFUSAL = 2048;

    private final ServerLink link;
    private final Threads threads;
    private final Duration timeout;
    private final @Nullable Login login;
    private final Set<Underway> waiting = ConcurrentHashMap.newKeySet();
    private final Set<Underway> all = ConcurrentHashMap.newKeySet();
    private final AtomicInteger underway = new AtomicInteger();

    RequestQueue(ServerLink link, Threads threads, Duration timeout, @Nullable Login login) {
        this.link = link;
        this.threads = threads;
        this.timeout = timeout;
        this.login = login;
    }

    CompletableFuture<Payload> submit(String type, byte[] json, boolean repeatable) {
        Underway request = new Underway(type, json, repeatable);
        if (underway.incrementAndGet() > MOST_UNDERWAY) {
            underway.decrementAndGet();
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY, "requests under way: more than " + MOST_UNDERWAY + "; try again later"));
        }
        all.add(request);
        // Whatever becomes of it on its way, its time ends.
        Future<?> end = threads.timer().schedule(request::expire, timeout.toNanos(), TimeUnit.NANOSECONDS);
        request.result.whenComplete((answer, failure) -> {
            end.cancel(false);
            underway.decrementAndGet();
            all.remove(request);
            waiting.remove(request);
        });
        request.send();
        return request.result;
    }

    Map<String, String> headers() {
        Login auth = login;
        String token = auth == null ? null : auth.token();
        return token == null ? Map.of() : Map.of("accessToken", token);
    }

    /** There is a connection: whoever waits for one goes on. */
    void connected() {
        for (Underway request : List.copyOf(waiting)) {
            if (waiting.remove(request)) {
                request.send();
            }
        }
    }

    /** No server can be used at present; who waits knows why should its time run out, and goes on waiting. */
    void unreachable(CairnException failure) {
        for (Underway request : waiting) {
            request.lastFailure = failure;
        }
    }

    void close(CairnException over) {
        all.forEach(request -> request.fail(over));
    }

    private final class Underway {

        final CompletableFuture<Payload> result = new CompletableFuture<>();
        private final String type;
        private final byte[] json;
        private final boolean repeatable;
        private final long deadline = System.nanoTime() + timeout.toNanos();
        private volatile @Nullable CairnException lastFailure;
        private boolean loggedInAgain;

        Underway(String type, byte[] json, boolean repeatable) {
            this.type = type;
            this.json = json;
            this.repeatable = repeatable;
        }

        void send() {
            if (link.closed()) {
                fail(ServerLink.over());
                return;
            }
            if (result.isDone()) {
                return;
            }
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            if (left.isNegative() || left.isZero()) {
                expire();
                return;
            }
            Connection connection = link.connection();
            if (connection == null) {
                await();
                return;
            }
            Map<String, String> headers = headers();
            connection.request(Payload.of(type, null, headers, json), left).whenComplete((answer, failure) -> {
                if (failure != null) {
                    failed(failure);
                } else if (answer.bodyLength() > LONGEST_REFUSAL) {
                    result.complete(answer);
                } else {
                    try {
                        judge(answer, headers.get("accessToken"));
                    } catch (RuntimeException e) {
                        fail(new CairnException(
                                ErrorCode.INTERNAL, "The answer to " + type + " cannot be read: " + e.getMessage(), e));
                    }
                }
            });
        }

        private void await() {
            waiting.add(this);
            // It may have come in between; and nobody looks after the end.
            if ((link.connection() != null || link.closed()) && waiting.remove(this)) {
                send();
            }
        }

        private void judge(Payload answer, @Nullable String token) {
            AnswerFields said = JsonInput.read(answer, AnswerFields::read);
            Login auth = login;
            if (said.succeeded()) {
                result.complete(answer);
            } else if (said.errorCode() == WireError.NO_RIGHT
                    && auth != null
                    && !loggedInAgain
                    && auth.mayBeMended(token, said.message())) {
                loggedInAgain = true;
                link.loginAgain(this::send);
            } else if (answer.type().equals(MessageCatalog.ERROR_RESPONSE)
                    && (said.errorCode() == WireError.UNREGISTERED || said.errorCode() == WireError.SERVER_NOT_READY)) {
                // The server has done nothing, so any request may be repeated.
                lastFailure = new CairnException(
                        ErrorCode.UNAVAILABLE, type + " was refused: " + said.errorCode() + ' ' + said.message());
                again();
            } else {
                result.complete(answer);
            }
        }

        private void failed(Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            CairnException known = cause instanceof CairnException one
                    ? one
                    : new CairnException(ErrorCode.INTERNAL, type + ": " + cause, cause);
            if (repeatable && Opening.worthAnotherTry(known)) {
                lastFailure = known;
                again();
            } else {
                fail(known);
            }
        }

        private void again() {
            threads.timer().schedule(this::send, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }

        private void expire() {
            CairnException why = lastFailure;
            CairnException cause = why != null ? why : link.lastFailure().orElse(null);
            fail(new CairnException(
                    ErrorCode.UNAVAILABLE,
                    type + " was not answered within " + timeout.toMillis() + " ms"
                            + (cause == null ? "" : ": " + cause.getMessage()),
                    cause));
        }

        void fail(CairnException why) {
            result.completeExceptionally(why);
        }
    }
}
