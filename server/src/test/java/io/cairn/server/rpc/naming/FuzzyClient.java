package io.cairn.server.rpc.naming;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A connection that watches services by patterns, and notes what it is told as official clients do. */
final class FuzzyClient implements AutoCloseable {

    private final WireClient wire;
    private final Set<String> known = new TreeSet<>();

    /** @param known what it knows from an earlier connection */
    FuzzyClient(CairnExtension cairn, Collection<String> known) {
        wire = cairn.newClient();
        this.known.addAll(known);
    }

    WireClient wire() {
        return wire;
    }

    JsonNode watch(String pattern, boolean initializing) {
        return request(pattern, "WATCH", initializing);
    }

    JsonNode cancel(String pattern) {
        return request(pattern, "CANCEL_WATCH", false);
    }

    private JsonNode request(String pattern, String type, boolean initializing) {
        String received = known.stream().map(key -> '"' + key + '"').collect(Collectors.joining(","));
        return wire.request(
                "NamingFuzzyWatchRequest",
                "{\"namespace\":\"public\",\"groupKeyPattern\":\"" + pattern + "\",\"receivedGroupKeys\":[" + received
                        + "],\"watchType\":\"" + type + "\",\"initializing\":" + initializing + "}");
    }

    /** The next push, in short: {@code +name}, {@code -name}, {@code INIT 1/2 +name}, {@code DIFF…}, {@code FINISH}. */
    String next() {
        return note(wire.nextPush());
    }

    /** Takes in all that has come; what it knows then. */
    Set<String> known() {
        for (Payload push = wire.pushes().poll();
                push != null;
                push = wire.pushes().poll()) {
            note(push);
        }
        return Set.copyOf(known);
    }

    private String note(Payload push) {
        JsonNode body = WireClient.tree(push);
        if (push.type().equals("NamingFuzzyWatchChangeNotifyRequest")) {
            return note(body);
        }
        String stage = body.path("syncType").asString().replace("FUZZY_WATCH_", "");
        if (!push.type().equals("NamingFuzzyWatchSyncRequest") || stage.startsWith("FINISH")) {
            return push.type().equals("NamingFuzzyWatchSyncRequest") ? "FINISH" : push.bodyText();
        }
        return stage.substring(0, 4)
                + ' '
                + body.path("currentBatch").asInt()
                + '/'
                + body.path("totalBatch").asInt()
                + ' '
                + body.path("contexts").valueStream().map(this::note).collect(Collectors.joining(" "));
    }

    private String note(JsonNode context) {
        String key = context.path("serviceKey").asString();
        String name = key.substring(key.lastIndexOf('@') + 1);
        if (context.path("changedType").asString().equals("ADD_SERVICE")) {
            known.add(key);
            return '+' + name;
        }
        known.remove(key);
        return '-' + name;
    }

    @Override
    public void close() {
        wire.close();
    }
}
