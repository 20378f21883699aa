package io.cairn.api.wire.fuzzy;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts, repeats or ends a fuzzy watch.
 *
 * @param pattern see {@link FuzzyWire#pattern}; empty when absent
 * @param received the client's matches, in the server's format
 * @param watchType {@link #WATCH}, also when absent, or {@link #CANCEL}
 * @param initializing whether the client still awaits {@link FuzzyWire#FINISHED}
 */
public record FuzzyWatchRequest(
        String pattern, Set<String> received, @Nullable String watchType, boolean initializing) {

    public static final String WATCH = "WATCH";
    public static final String CANCEL = "CANCEL_WATCH";

    public FuzzyWatchRequest {
        received = Set.copyOf(received);
    }

    public static FuzzyWatchRequest read(JsonInput in) {
        String pattern = "";
        List<String> received = List.of();
        String watchType = null;
        boolean initializing = false;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "groupKeyPattern" -> pattern = in.textOr("");
                case "receivedGroupKeys" -> received = in.textList();
                case "watchType" -> watchType = in.text();
                case "initializing" -> initializing = in.flag(false);
                default -> in.skip();
            }
        }
        return new FuzzyWatchRequest(pattern, new HashSet<>(received), watchType, initializing);
    }

    /** @param namespace for services; null for configurations */
    public byte[] toJson(String module, @Nullable String namespace) {
        return new JsonOutput(256)
                .text("namespace", namespace)
                .text("groupKeyPattern", pattern)
                .textList("receivedGroupKeys", received)
                .text("watchType", watchType)
                .flag("initializing", initializing)
                .text("module", module)
                .toBytes();
    }
}
