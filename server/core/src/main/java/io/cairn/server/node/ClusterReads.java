package io.cairn.server.node;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads of what each node of the cluster knows alone, such as its connections. Thread-safe; returns at once. */
public interface ClusterReads {

    /** The reads of a single server, which has no other node to ask. */
    ClusterReads OF_SINGLE_SERVER = new ClusterReads() {

        private static final CompletionStage<Others> NONE = CompletableFuture.completedFuture(Others.NONE);

        @Override
        public void answer(String question, Answering answering) {
            // There is no other node that asks.
        }

        @Override
        public CompletionStage<Others> askOthers(String question, Map<String, String> parameters) {
            return NONE;
        }
    };

    /** The way in which this node answers a question of another node. */
    @FunctionalInterface
    interface Answering {

        /** The answer in JSON. May take a moment; a failure is an answer that the other node does not get. */
        CompletionStage<String> json(Map<String, String> parameters);
    }

    /**
     * The answers of the other nodes.
     *
     * @param json by the address of the node that has answered
     * @param silent the addresses of the nodes that are alive and have not answered in time, or not with data
     */
    record Others(Map<String, String> json, List<String> silent) {

        /** There is no other node. */
        public static final Others NONE = new Others(Map.of(), List.of());

        public Others {
            json = Map.copyOf(json);
            silent = List.copyOf(silent);
        }
    }

    /** Declares how this node answers a question. Called once for each question, at the start. */
    void answer(String question, Answering answering);

    /** Asks all other nodes at the same time. Completes within about a second, and never fails. */
    CompletionStage<Others> askOthers(String question, Map<String, String> parameters);
}
