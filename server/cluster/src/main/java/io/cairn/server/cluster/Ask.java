package io.cairn.server.cluster;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.cluster.routing.GroupMessages;
import io.cairn.server.cluster.routing.Refusals;
import io.cairn.server.cluster.wire.ClusterMessage.Answer;
import io.cairn.server.cluster.wire.ClusterMessage.Question;
import io.cairn.server.node.NodeId;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks other nodes, with a time limit for each question, and answers their questions. Does not block. Responders and the stages of
 * answers run on the executor.
 */
public final class Ask implements AutoCloseable {

    /** The most that an answer has, in characters. */
    static final int MAX_ANSWER = 8 * 1024 * 1024;

    static final int MAX_OUTSTANDING = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Ask.class);

    private final GroupMessages messages;
    private final Timer timer;
    private final Executor executor;
    private final AtomicLong ids = new AtomicLong();
    private final Map<String, Responder> responders = new ConcurrentHashMap<>();
    private final Map<Long, Outstanding> outstanding = new ConcurrentHashMap<>();
    private volatile Set<NodeId> others = Set.of();
    private volatile boolean closed;

    @FunctionalInterface
    public interface Responder {

        /**
         * Called on the executor; may block briefly.
         *
         * @return JSON; a {@link CairnException}, thrown or in the stage, becomes the refusal
         */
        CompletionStage<String> answer(Map<String, String> parameters);
    }

    /**
     * @param answers JSON by node, in the order of the nodes
     * @param silent nodes without an answer, and nodes that refused
     */
    public record Answers(Map<NodeId, String> answers, List<NodeId> silent) {

        public boolean isComplete() {
            return silent.isEmpty();
        }
    }

    private final class Outstanding implements TimerTask {

        private final long id;
        private final NodeId to;
        private final String name;
        private final CompletableFuture<String> result = new CompletableFuture<>();
        private volatile @Nullable Timeout timeout;

        Outstanding(long id, NodeId to, String name) {
            this.id = id;
            this.to = to;
            this.name = name;
        }

        @Override
        public void run(Timeout fired) {
            fail("it has not answered in time");
        }

        void fail(String why) {
            end(() -> result.completeExceptionally(unavailable(to, name, why)));
        }

        void end(Runnable completion) {
            if (outstanding.remove(id, this)) {
                Timeout running = timeout;
                if (running != null) {
                    running.cancel();
                }
                perform(completion);
            }
        }
    }

    public Ask(GroupMessages messages, Timer timer, Executor executor) {
        this.messages = messages;
        this.timer = timer;
        this.executor = executor;
    }

    public void respond(String name, Responder responder) {
        if (responders.putIfAbsent(name, responder) != null) {
            throw new IllegalStateException("Questions of the name " + name + " have a responder");
        }
    }

    /** @return JSON; fails with {@code UNAVAILABLE} for a node that is no member or silent, or with the refusal of the node */
    public CompletionStage<String> ask(NodeId to, String name, Map<String, String> parameters, Duration within) {
        if (closed || outstanding.size() >= MAX_OUTSTANDING) {
            return CompletableFuture.failedFuture(
                    unavailable(to, name, closed ? "this node stops" : "too many questions wait for answers"));
        }
        Outstanding each = new Outstanding(ids.incrementAndGet(), to, name);
        outstanding.put(each.id, each);
        each.timeout = timer.newTimeout(each, within.toNanos(), TimeUnit.NANOSECONDS);
        if (!messages.send(to, new Question(each.id, name, parameters))) {
            each.fail("it is no member of the group, or too many messages wait for it");
        }
        return each.result;
    }

    /** Asks all other members at once. Completes when all have answered or the time is over, never with a failure. */
    public CompletionStage<Answers> askAll(String name, Map<String, String> parameters, Duration within) {
        List<NodeId> asked = others.stream().sorted().toList();
        Map<NodeId, CompletableFuture<String>> results = new LinkedHashMap<>();
        for (NodeId node : asked) {
            results.put(node, ask(node, name, parameters, within).toCompletableFuture());
        }
        return CompletableFuture.allOf(results.values().toArray(CompletableFuture[]::new))
                .handle((done, failure) -> gathered(name, results));
    }

    private static Answers gathered(String name, Map<NodeId, CompletableFuture<String>> results) {
        Map<NodeId, String> answers = new LinkedHashMap<>();
        List<NodeId> silent = new ArrayList<>();
        results.forEach((node, result) -> {
            try {
                answers.put(node, result.join());
            } catch (CompletionException e) {
                log.debug("No answer of {} to {}: {}", node, name, e.getMessage());
                silent.add(node);
            }
        });
        return new Answers(answers, List.copyOf(silent));
    }

    private static CairnException unavailable(NodeId to, String name, String why) {
        return new CairnException(
                ErrorCode.UNAVAILABLE, "node " + to.address() + " gives no answer to '" + name + "': " + why);
    }

    public void membersAre(Collection<NodeId> members) {
        others = Set.copyOf(members);
        for (Outstanding each : outstanding.values()) {
            if (!others.contains(each.to)) {
                each.fail("it has left the group");
            }
        }
    }

    public void message(NodeId from, Question question) {
        try {
            executor.execute(() -> answer(from, question));
        } catch (RejectedExecutionException e) {
            refuse(from, question, new CairnException(ErrorCode.BUSY, "too many questions wait for this node", e));
        }
    }

    public void message(NodeId from, Answer answer) {
        Outstanding each = outstanding.get(answer.id());
        if (each != null && each.to.equals(from)) {
            each.end(() -> {
                if (answer.refusal() == null) {
                    each.result.complete(answer.json());
                } else {
                    each.result.completeExceptionally(Refusals.exception(answer.refusal()));
                }
            });
        }
    }

    private void answer(NodeId from, Question question) {
        Responder responder = responders.get(question.name());
        if (responder == null) {
            refuse(
                    from,
                    question,
                    new CairnException(
                            ErrorCode.UNSUPPORTED,
                            "the release of this node does not know the question '" + question.name() + "'"));
            return;
        }
        CompletionStage<String> answer;
        try {
            answer = responder.answer(question.parameters());
        } catch (RuntimeException e) {
            refuse(from, question, e);
            return;
        }
        answer.whenComplete((json, failure) -> {
            if (failure != null) {
                refuse(from, question, failure instanceof CompletionException ? failure.getCause() : failure);
            } else if (json.length() > MAX_ANSWER) {
                refuse(
                        from,
                        question,
                        new CairnException(
                                ErrorCode.LIMIT_EXCEEDED,
                                "the answer has " + json.length() + " characters (expected: at most " + MAX_ANSWER
                                        + "); ask for less"));
            } else {
                send(from, new Answer(question.id(), json));
            }
        });
    }

    private void refuse(NodeId from, Question question, @Nullable Throwable cause) {
        CairnException refusal;
        if (cause instanceof CairnException known) {
            refusal = known;
        } else {
            log.error("The question '{}' of {} failed on a defect of the server", question.name(), from, cause);
            refusal = new CairnException(ErrorCode.INTERNAL, "a defect of the node; its log has the details");
        }
        send(from, new Answer(question.id(), "", Refusals.refusal(refusal)));
    }

    private void send(NodeId to, Answer answer) {
        if (!messages.send(to, answer)) {
            log.debug("The answer {} to {} is dropped: it has left, or too many messages wait for it", answer.id(), to);
        }
    }

    private void perform(Runnable completion) {
        try {
            executor.execute(completion);
        } catch (RejectedExecutionException e) {
            completion.run();
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Outstanding each : outstanding.values()) {
            each.fail("this node stops");
        }
    }
}
