package io.cairn.server.http.envelope;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpResponse;
import java.util.Arrays;
import java.util.List;

/**
 * The nodes that did not answer while a response was gathered from all nodes, so that the response lacks what they know. A header
 * names them, and where the response is a JSON object with members of its own, so do {@code complete} and {@code silentNodes}. A
 * complete response says nothing of this. Immutable.
 *
 * @param addresses {@code host:port} of HTTP
 */
public record SilentNodes(List<String> addresses) {

    /** The header with the addresses, separated by commas. */
    public static final String HEADER = "Cairn-Silent-Nodes";

    /** All nodes have answered. */
    public static final SilentNodes NONE = new SilentNodes(List.of());

    /** The bytes of an object without members. */
    private static final int EMPTY_OBJECT = 2;

    public SilentNodes {
        addresses = List.copyOf(addresses);
    }

    /** Whether the response has what all nodes know. */
    public boolean isNone() {
        return addresses.isEmpty();
    }

    /** The response with the header; the same one when it is complete. */
    public HttpResponse named(HttpResponse response) {
        return isNone() ? response : response.with(HEADER, String.join(", ", addresses));
    }

    /** Adds the members to an object that is being written. */
    void addTo(JsonOutput object) {
        if (!isNone()) {
            object.flag("complete", false).textList("silentNodes", addresses);
        }
    }

    /** The JSON object with the members behind its own; the same bytes when it is complete. */
    public byte[] addedTo(byte[] object) {
        if (isNone()) {
            return object;
        }
        JsonOutput members = new JsonOutput(64);
        addTo(members);
        byte[] added = members.toBytes();
        if (object.length == EMPTY_OBJECT) {
            return added;
        }
        byte[] joined = Arrays.copyOf(object, object.length + added.length - 1);
        // The closing brace becomes the comma before the members, whose opening brace is left out.
        joined[object.length - 1] = ',';
        System.arraycopy(added, 1, joined, object.length, added.length - 1);
        return joined;
    }
}
