package io.cairn.api.wire.connection;

import io.cairn.api.wire.FlatJson;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * A client's response to a push. Its type differs between clients and pushes; only the request id counts.
 *
 * @param requestId of the push; null from the Node SDK
 */
public record PushReply(@Nullable String requestId, boolean success) {

    /**
     * Reads a response, normally without a JSON parser: a change causes one for each subscriber.
     *
     * @throws io.cairn.api.wire.MalformedMessageException when it is not JSON, or a field has the wrong type
     */
    public static PushReply of(Payload answer) {
        FlatJson body = new FlatJson(answer);
        String requestId = null;
        int resultCode = WireError.RESULT_OK;
        while (body.next()) {
            if (body.isNamed("requestId")) {
                requestId = body.text();
            } else if (body.isNamed("resultCode")) {
                resultCode = body.number(WireError.RESULT_OK);
            }
        }
        return body.isWhole()
                ? new PushReply(requestId, resultCode == WireError.RESULT_OK)
                : JsonInput.read(answer, PushReply::read);
    }

    static PushReply read(JsonInput in) {
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
