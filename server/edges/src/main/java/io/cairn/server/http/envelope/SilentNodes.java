package io.cairn.server.http.envelope;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpResponse;
import java.util.List;

/**
 * The nodes that did not answer a read of all nodes. A header names them, and in a JSON object with its own members also
 * {@code complete} and {@code silentNodes}. A complete response has neither.
 *
 * @param addresses {@code host:port} of HTTP
 */
public record SilentNodes(List<String> addresses) {

    public static final String HEADER = "Cairn-Silent-Nodes";

    public static final SilentNodes NONE = new SilentNodes(List.of());

    private static final byte[] END = {'}'};

    public SilentNodes {
        addresses = List.copyOf(addresses);
    }

    /** Whether the response is complete. */
    public boolean isNone() {
        return addresses.isEmpty();
    }

    /** Adds the header, unless the response is complete. */
    public HttpResponse named(HttpResponse response) {
        return isNone() ? response : response.with(HEADER, String.join(", ", addresses));
    }

    /** Adds the members to an open object. */
    void addTo(JsonOutput object) {
        if (!isNone()) {
            object.flag("complete", false).textList("silentNodes", addresses);
        }
    }

    /** The further members and the closing brace of an object with members. */
    private byte[] closing() {
        JsonOutput members = new JsonOutput(64);
        addTo(members);
        byte[] end = members.toBytes();
        // The opening brace becomes a comma.
        end[0] = ',';
        return end;
    }

    /** Adds the members, unless the response is complete. */
    public JsonText addedTo(JsonText object) {
        return isNone() ? object : object.closedBy(closing());
    }

    byte[] end() {
        return isNone() ? END : closing();
    }
}
