package io.cairn.server.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads of node-specific data, such as connections. Returns at once. */
public interface ClusterReads {

    /** For an answer from memory. */
    Duration USUAL_LIMIT = Duration.ofSeconds(1);

    ClusterReads OF_SINGLE_SERVER = new ClusterReads() {

        private static final CompletionStage<Others> NONE = CompletableFuture.completedFuture(Others.NONE);

        @Override
        public void answer(String question, Answering answering) {}

        @Override
        public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
            return NONE;
        }
    };

    /** Answers another node's question. */
    @FunctionalInterface
    interface Answering {

        /** May take a moment; on a failure the other node gets no answer. */
        CompletionStage<String> json(Map<String, String> parameters);
    }

    /**
     * @param json by address of the node
     * @param silent addresses of living nodes without a timely answer with data
     */
    record Others(Map<String, String> json, List<String> silent) {

        public static final Others NONE = new Others(Map.of(), List.of());

        public Others {
            json = Map.copyOf(json);
            silent = List.copyOf(silent);
        }
    }

    /** Called once for each question, at the start. */
    void answer(String question, Answering answering);

    /** As {@link #askOthers(String, Map, Duration)}, within {@link #USUAL_LIMIT}. */
    default CompletionStage<Others> askOthers(String question, Map<String, String> parameters) {
        return askOthers(question, parameters, USUAL_LIMIT);
    }

    /** Asks all other nodes at once. Completes within about that time, and never fails. */
    CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within);
}
