package io.cairn.server.cluster;

import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Reads over all nodes by questions. A node that serves clients outside the view, such as one behind a broken connection, counts as
 * silent. Does not block.
 */
public final class GroupReads implements ClusterReads {

    private final Ask ask;
    private final Supplier<? extends Collection<NodeId>> cutOff;
    private final LongAdder answered = new LongAdder();
    private final LongAdder silentNodes = new LongAdder();

    /** @param cutOff nodes that serve clients outside the view */
    public GroupReads(Ask ask, Supplier<? extends Collection<NodeId>> cutOff) {
        this.ask = ask;
        this.cutOff = cutOff;
    }

    @Override
    public void answer(String question, Answering answering) {
        ask.respond(question, answering::json);
    }

    @Override
    public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
        return ask.askAll(question, parameters, within).thenApply(this::others);
    }

    public long answered() {
        return answered.sum();
    }

    public long unanswered() {
        return silentNodes.sum();
    }

    private Others others(Ask.Answers answers) {
        Map<String, String> json = new HashMap<>();
        answers.answers().forEach((node, answer) -> json.put(node.address(), answer));
        TreeSet<String> silent = new TreeSet<>();
        answers.silent().forEach(node -> silent.add(node.address()));
        for (NodeId node : cutOff.get()) {
            if (!json.containsKey(node.address())) {
                silent.add(node.address());
            }
        }
        answered.add(json.size());
        silentNodes.add(silent.size());
        return new Others(json, List.copyOf(silent));
    }
}
