package io.cairn.client.internal;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.api.wire.WireError;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Pending requests, which survive broken connections and expired tokens until their timeout. */
final class RequestQueue {

    private static final int MOST_UNDERWAY = 10_000;
    /** The revision of requests that read no configuration. */
    private static final long NO_REVISION = -1;

    private static final long PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    /** Requests that contain the revision that this client has seen. */
    private static final Set<String> READS =
            Set.of(MessageCatalog.CONFIG_QUERY_REQUEST, MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST);
    /** Larger responses are no rejections, and are not parsed here. */
    private static final int LONGEST_REFUSAL = 2048;

    private final ServerLink link;
    private final Threads threads;
    private final Duration timeout;
    private final @Nullable Login login;
    private final Set<Underway> waiting = ConcurrentHashMap.newKeySet();
    private final Set<Underway> all = ConcurrentHashMap.newKeySet();
    private final AtomicInteger underway = new AtomicInteger();
    private final SeenRevision seen = new SeenRevision(System::nanoTime);

    RequestQueue(ServerLink link, Threads threads, Duration timeout, @Nullable Login login) {
        this.link = link;
        this.threads = threads;
        this.timeout = timeout;
        this.login = login;
    }

    CompletableFuture<Payload> submit(String type, byte[] json, boolean repeatable) {
        return submit(type, json, repeatable, timeout);
    }

    CompletableFuture<Payload> submit(String type, byte[] json, boolean repeatable, Duration within) {
        if (underway.incrementAndGet() > MOST_UNDERWAY) {
            underway.decrementAndGet();
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY, "requests under way: more than " + MOST_UNDERWAY + "; try again later"));
        }
        CompletableFuture<Payload> result = begin(new Underway(type, json, repeatable, null, within));
        result.whenComplete((answer, failure) -> underway.decrementAndGet());
        return result;
    }

    /** Sends a request over this connection only; repeats it only after a login. */
    CompletableFuture<Payload> submitOver(Connection connection, String type, byte[] json) {
        return begin(new Underway(type, json, false, connection, timeout));
    }

    private CompletableFuture<Payload> begin(Underway request) {
        all.add(request);
        Future<?> end = threads.timer().schedule(request::expire, request.within.toNanos(), TimeUnit.NANOSECONDS);
        request.result.whenComplete((answer, failure) -> {
            end.cancel(false);
            all.remove(request);
            waiting.remove(request);
        });
        request.send();
        return request.result;
    }

    private Map<String, String> headers(@Nullable String token, long leastRevision) {
        Map<String, String> headers = new HashMap<>();
        if (token != null) {
            headers.put("accessToken", token);
        }
        if (leastRevision >= 0) {
            headers.put(RevisionHeaders.MIN_REVISION, Long.toString(leastRevision));
        }
        return headers;
    }

    void connected() {
        for (Underway request : List.copyOf(waiting)) {
            if (waiting.remove(request)) {
                request.send();
            }
        }
    }

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
        private final Duration within;
        private final long deadline;
        private volatile @Nullable CairnException lastFailure;
        private final @Nullable Connection bound;
        private long pauseMillis = PAUSE_MILLIS;
        private boolean loggedInAgain;

        Underway(String type, byte[] json, boolean repeatable, @Nullable Connection bound, Duration within) {
            this.within = within;
            this.deadline = System.nanoTime() + within.toNanos();
            this.type = type;
            this.json = json;
            this.repeatable = repeatable;
            this.bound = bound;
        }

        void send() {
            try {
                sendNow();
            } catch (RuntimeException | LinkageError e) {
                failed(e);
            }
        }

        private void sendNow() {
            if (link.closed()) {
                fail(new CairnException(ErrorCode.UNAVAILABLE, "The client is closed"));
                return;
            }
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            if (result.isDone() || left.isNegative() || left.isZero()) {
                expire();
                return;
            }
            Connection connection = bound != null ? bound : link.connection();
            if (connection == null) {
                await();
                return;
            }
            Login auth = login;
            String token = auth == null ? null : auth.token();
            long least = READS.contains(type) ? seen.least() : NO_REVISION;
            connection
                    .request(Payload.of(type, null, headers(token, least), json), left)
                    .whenComplete((answer, failure) -> {
                        try {
                            if (failure != null) {
                                failed(failure);
                            } else {
                                evaluate(answer, token, least);
                            }
                        } catch (RuntimeException | LinkageError e) {
                            failed(e);
                        }
                    });
        }

        private void await() {
            waiting.add(this);
            // The connection may have been established or closed meanwhile.
            if ((link.connection() != null || link.closed() || result.isDone()) && waiting.remove(this)) {
                send();
            }
        }

        private void evaluate(Payload answer, @Nullable String token, long least) {
            if (least == NO_REVISION) {
                seen.written(answer);
            } else if (seen.isBehind(answer, least)) {
                behind(least);
                return;
            }
            if (answer.bodyLength() > LONGEST_REFUSAL) {
                result.complete(answer);
                return;
            }
            AnswerFields said = JsonInput.read(answer, AnswerFields::read);
            Login auth = login;
            if (said.succeeded()) {
                result.complete(answer);
            } else if (said.errorCode() == WireError.NO_RIGHT
                    && auth != null
                    && !loggedInAgain
                    && auth.refused(token, said.message())) {
                loggedInAgain = true;
                link.loginAgain(this::send);
            } else if (bound == null && isNotYet(answer, said)) {
                // The server did not process the request, so it may be repeated.
                lastFailure = new CairnException(
                        ErrorCode.UNAVAILABLE, type + " was refused: " + said.errorCode() + ' ' + said.message());
                again();
            } else {
                result.complete(answer);
            }
        }

        /** The server's state is older than the state that this client has seen, so the response is dropped. */
        private void behind(long least) {
            CairnException why = new CairnException(
                    ErrorCode.UNAVAILABLE,
                    type + " was answered by a server that does not show revision " + least
                            + " yet, which this client has" + " seen");
            if (bound == null) {
                lastFailure = why;
                again();
            } else {
                fail(why);
            }
        }

        private static boolean isNotYet(Payload answer, AnswerFields said) {
            return answer.type().equals(MessageCatalog.ERROR_RESPONSE)
                    && (said.errorCode() == WireError.UNREGISTERED || said.errorCode() == WireError.SERVER_NOT_READY);
        }

        private void failed(Throwable failure) {
            CairnException known = Refusals.of(failure);
            if (repeatable && !Refusals.isDefinite(known)) {
                lastFailure = known;
                again();
            } else {
                fail(known);
            }
        }

        private void again() {
            long pause = pauseMillis;
            pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
            threads.timer().schedule(this::send, pause, TimeUnit.MILLISECONDS);
        }

        private void expire() {
            CairnException why = lastFailure;
            CairnException cause = why != null ? why : link.lastFailure().orElse(null);
            fail(new CairnException(
                    ErrorCode.UNAVAILABLE,
                    type + " was not answered within " + within.toMillis() + " ms"
                            + (cause == null ? "" : ": " + cause.getMessage()),
                    cause));
        }

        void fail(CairnException why) {
            result.completeExceptionally(why);
        }
    }
}
