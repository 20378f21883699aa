package io.cairn.server.xds.view;

import io.cairn.api.wire.EncodedMessage;
import java.util.Set;

/** An encoded response, shared by equal streams. */
public final class DiscoveryResponse extends EncodedMessage {

    private final String nonce;
    private final Set<String> warming;
    private final Set<String> added;

    /**
     * @param warming endpoints that its clusters wait for
     * @param added endpoints of new clusters
     */
    public DiscoveryResponse(byte[] encoded, String nonce, Set<String> warming, Set<String> added) {
        super(encoded);
        this.nonce = nonce;
        this.warming = warming;
        this.added = added;
    }

    public String nonce() {
        return nonce;
    }

    public Set<String> warming() {
        return warming;
    }

    public Set<String> added() {
        return added;
    }
}
