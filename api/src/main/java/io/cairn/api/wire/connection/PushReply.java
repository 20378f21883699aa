package io.cairn.api.wire.connection;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * A client's answer to a push. Its type differs by client and push; only the request id counts.
 *
 * @param requestId of the push it answers; null from the Node SDK
 */
public record PushReply(@Nullable String requestId, boolean success) {

    public static PushReply read(JsonInput in) {
        String requestId = null;
        int resultCode = WireError.RESULT_OK;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "requestId" -> requestId = in.text();
                case "resultCode" -> resultCode = in.number(WireError.RESULT_OK);
                default -> in.skip();
            }
        }
        return new PushReply(requestId, resultCode == WireError.RESULT_OK);
    }
}
