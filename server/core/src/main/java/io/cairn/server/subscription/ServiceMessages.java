package io.cairn.server.subscription;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.naming.ViewDelta;
import org.jspecify.annotations.Nullable;

/** The messages that tell subscribers of a service. Thread-safe. */
final class ServiceMessages {

    private final RequestIds requestIds;
    private final String serverIp;

    /** @param serverIp the address that they name as their sender */
    ServiceMessages(RequestIds requestIds, String serverIp) {
        this.requestIds = requestIds;
        this.serverIp = serverIp;
    }

    /** The message with a whole list, encoded once for all pushes of it; its id need only be unique within a connection. */
    record Whole(String requestId, Payload payload) {}

    /** The list of a view, for consumers that know nothing of revisions. */
    Whole whole(ServiceView view) {
        return view.answer(ServiceView.Form.GRPC_PUSH, this::encode);
    }

    private Whole encode(ServiceView view) {
        String requestId = requestIds.next();
        return new Whole(requestId, message(withInfo(start(requestId, view.newOutput()), view)));
    }

    /**
     * The message for consumers that take deltas.
     *
     * @param delta null for a whole list
     */
    Payload following(ServiceView view, @Nullable ViewDelta delta, String requestId) {
        if (delta == null) {
            return message(withInfo(start(requestId, view.newOutput()), view)
                    .number(ServiceAnswer.REVISION, view.snapshot().version()));
        }
        JsonOutput out = start(requestId, new JsonOutput(delta.bytes()));
        delta.write(out);
        return message(out);
    }

    private static JsonOutput start(String requestId, JsonOutput out) {
        return out.json("headers", "{}").text("requestId", requestId);
    }

    private static JsonOutput withInfo(JsonOutput out, ServiceView view) {
        return out.object("serviceInfo", view.service().name(), view::writeInfo);
    }

    private Payload message(JsonOutput out) {
        return Payload.of(MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST, serverIp, out.text("module", "naming"));
    }
}
