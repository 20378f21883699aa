package io.cairn.server.gray;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client as the rules of gray releases see it.
 *
 * @param tag that it requests or sends in a header, or null
 * @param labels of its connection or xDS node; empty over HTTP
 * @param node the id of an xDS node; null for other clients
 */
public record GrayClient(
        String address,
        @Nullable String tag,
        Map<String, String> labels,
        @Nullable String node) {

    /** A client without labels, which rules by address and tag alone can select. */
    public GrayClient(String address, @Nullable String tag) {
        this(address, tag, Map.of(), null);
    }

    /** A client that asks for the release of a tag: no rule by labels or share selects it. */
    public GrayClient asking(String release) {
        return new GrayClient(address, release);
    }

    /** Tells it apart in a share of clients; null for a client that no share contains. */
    public @Nullable GrayIdentity identity() {
        return node != null && !node.isEmpty()
                ? new GrayIdentity(node, GrayIdentity.By.NODE)
                : GrayIdentity.of(labels, address);
    }
}
