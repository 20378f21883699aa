package io.cairn.server.xds;

import io.cairn.api.wire.EncodedMessage;
import java.util.Set;

/** An encoded response, shared by all streams that get the same. */
final class DiscoveryResponse extends EncodedMessage {

    private final String nonce;
    private final Set<String> warming;
    private final Set<String> added;

    /**
     * @param warming the names of the endpoints that its clusters wait for once they have come
     * @param added those of them whose clusters were not in the table before
     */
    DiscoveryResponse(byte[] encoded, String nonce, Set<String> warming, Set<String> added) {
        super(encoded);
        this.nonce = nonce;
        this.warming = warming;
        this.added = added;
    }

    String nonce() {
        return nonce;
    }

    Set<String> warming() {
        return warming;
    }

    Set<String> added() {
        return added;
    }
}
