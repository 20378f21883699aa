package io.cairn.server.rpc;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the handler of a unary request and guarantees an answer. Order of checks, as in Nacos: server ready, server check, handler
 * known, connection set up. Then the caller must be known, so that the body of an unknown caller is not read. The body is read
 * once, for right and handler.
 */
public final class MessageRouter {

    /** A larger body is read on the work pool instead of the event loop. */
    public static final int LARGE_BODY_BYTES = 256 * 1024;

    private static final Payload NOT_READY =
            WireResponse.error(WireError.SERVER_NOT_READY, "Server is starting,please try later.");
    private static final Payload NO_HANDLER = WireResponse.error(WireError.NO_HANDLER, "RequestHandler Not Found");
    private static final Payload UNREGISTERED =
            WireResponse.error(WireError.UNREGISTERED, "Connection is unregistered.");
    private static final String MALFORMED_TEXT = "errCode: 101, errMsg: Nacos deserialize failed.  ";
    private static final Payload MALFORMED = WireResponse.error(WireError.MALFORMED, MALFORMED_TEXT);
    private static final Payload BUSY =
            WireResponse.error(WireError.OVER_THRESHOLD, "Too many large messages are under way; try again shortly");
    private static final Logger log = LoggerFactory.getLogger(MessageRouter.class);

    private final Map<String, Route<?>> routes = new HashMap<>();
    private final RequestMeters unrouted;
    private final BooleanSupplier ready;
    private final Executor work;
    private final MemoryBudget budget;
    private final RpcAuthorizer authorizer;

    /**
     * @param ready whether requests are admitted
     * @param work a bounded pool that reads large bodies
     * @param budget the memory of large messages
     */
    public MessageRouter(
            List<MessageHandler<?>> handlers,
            MeterRegistry meters,
            BooleanSupplier ready,
            Executor work,
            MemoryBudget budget,
            RpcAuthorizer authorizer) {
        for (MessageHandler<?> handler : handlers) {
            Route<?> route = new Route<>(handler, new RequestMeters(meters, handler.requestType()));
            if (routes.put(handler.requestType(), route) != null) {
                throw new IllegalArgumentException("two handlers for " + handler.requestType());
            }
        }
        this.unrouted = new RequestMeters(meters, "other");
        this.ready = ready;
        this.work = work;
        this.budget = budget;
        this.authorizer = authorizer;
    }

    private record Route<T>(MessageHandler<T> handler, RequestMeters meters) {}

    public Set<String> requestTypes() {
        return Set.copyOf(routes.keySet());
    }

    /**
     * Answers a request; never throws.
     *
     * @param connection of the transport, or null
     */
    void route(Payload request, @Nullable ClientConnection connection, String connectionId, AnswerSink sink) {
        long start = System.nanoTime();
        Route<?> route = routes.get(request.type());
        if (!ready.getAsBoolean()) {
            refuse(NOT_READY, start, sink);
        } else if (request.malformation() != null) {
            log.debug("Malformed payload on {}: {}", connectionId, request.malformation());
            refuse(MALFORMED, start, sink);
        } else if (route == null) {
            if (connection != null) {
                // Some clients prove that they are alive by server checks alone.
                connection.touch();
            }
            refuse(withoutHandler(request.type(), connectionId), start, sink);
        } else if (connection == null || connection.isClosed()) {
            refuse(UNREGISTERED, start, sink);
        } else {
            admit(request, route, connection, start, sink);
        }
    }

    private void admit(Payload request, Route<?> route, ClientConnection connection, long start, AnswerSink sink) {
        CompletionStage<?> keys = authorizer.awaitKeys(request, route.handler);
        if (keys == null) {
            dispatch(request, route, connection, start, sink);
            return;
        }
        // The issuer has changed its keys. Other messages of the connection overtake this one.
        keys.whenComplete((done, failure) -> {
            try {
                connection.loop().execute(() -> dispatch(request, route, connection, start, sink));
            } catch (RejectedExecutionException e) {
                log.debug("The event loop of {} has ended", connection.id(), e);
            }
        });
    }

    private void refuse(Payload answer, long start, AnswerSink sink) {
        unrouted.record(start, !answer.type().equals(MessageCatalog.SERVER_CHECK_RESPONSE));
        sink.answer(answer);
    }

    private <T> void dispatch(
            Payload request, Route<T> route, ClientConnection connection, long start, AnswerSink sink) {
        connection.touch();
        int size = request.encodedLength();
        if (size <= MemoryBudget.SMALL_BYTES) {
            handle(request, route, connection, start, sink);
            return;
        }
        if (!budget.tryReserve(size)) {
            route.meters.record(start, true);
            sink.answer(BUSY);
            return;
        }
        AnswerSink release = answer -> {
            budget.release(size);
            sink.answer(answer);
        };
        if (request.bodyLength() <= LARGE_BODY_BYTES) {
            handle(request, route, connection, start, release);
            return;
        }
        try {
            // Later, smaller requests overtake it: a client that needs the order waits for the answer first.
            work.execute(() -> handle(request, route, connection, start, release));
        } catch (RejectedExecutionException e) {
            route.meters.record(start, true);
            release.answer(BUSY);
        }
    }

    private static Payload withoutHandler(String type, String connectionId) {
        if (type.equals(MessageCatalog.SERVER_CHECK_REQUEST)) {
            return serverCheck(connectionId);
        }
        if (MessageCatalog.BETWEEN_SERVERS.contains(type)) {
            return WireResponse.error(WireError.MALFORMED, " invoke " + type + " from sdk is forbidden");
        }
        return NO_HANDLER;
    }

    private static Payload serverCheck(String connectionId) {
        JsonOutput answer = WireResponse.start(128)
                .text("connectionId", connectionId)
                .flag("supportAbilityNegotiation", true)
                .flag("success", true);
        return Payload.of(MessageCatalog.SERVER_CHECK_RESPONSE, answer.toBytes());
    }

    private <T> void handle(Payload request, Route<T> route, ClientConnection connection, long start, AnswerSink sink) {
        CompletionStage<Payload> stage;
        try {
            stage = answer(request, route.handler, connection);
        } catch (RuntimeException | Error e) {
            // Errors, too: an answer releases the memory of the request.
            route.meters.record(start, true);
            sink.answer(failed(route.handler, e));
            return;
        }
        if (stage instanceof CompletableFuture<Payload> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            route.meters.record(start, false);
            sink.answer(future.join());
            return;
        }
        stage.whenComplete((answer, failure) -> {
            route.meters.record(start, failure != null);
            sink.answer(failure == null ? answer : failed(route.handler, failure));
        });
    }

    private <T> CompletionStage<Payload> answer(
            Payload message, MessageHandler<T> handler, ClientConnection connection) {
        Identity sender = authorizer.identify(message, handler, connection);
        if (sender instanceof Denial unknown) {
            return denied(handler, unknown);
        }
        Principal caller = (Principal) sender;
        T request = handler.read(message);
        Denial denial = authorizer.check(message, handler, request, connection, caller);
        return denial == null ? handler.handle(request, connection, caller) : denied(handler, denial);
    }

    private static CompletionStage<Payload> denied(MessageHandler<?> handler, Denial denial) {
        return CompletableFuture.completedFuture(handler.denied(denial.text()));
    }

    private static Payload failed(MessageHandler<?> handler, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof MalformedMessageException malformed) {
            log.debug("Malformed {}: {}", handler.requestType(), cause.getMessage());
            return malformed.namesField()
                    ? WireResponse.error(WireError.MALFORMED, MALFORMED_TEXT + cause.getMessage())
                    : MALFORMED;
        }
        if (cause instanceof CairnException known) {
            return handler.refused(known);
        }
        log.error("{} failed on a defect of the server", handler.requestType(), cause);
        return WireResponse.handlerError(WireError.SERVER_ERROR, cause.toString());
    }

    /** Receives the answer of one request, once, on any thread. */
    @FunctionalInterface
    interface AnswerSink {
        void answer(Payload answer);
    }
}
