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

    /**
     * The messages with the whole list of a view, for all pushes of it. Their id need only be unique within a
     * connection. Thread-safe.
     */
    final class WholeList {

        private final ServiceView view;
        private final String requestId = requestIds.next();
        /** For consumers that know nothing of revisions. */
        private final Encoded plain = new Encoded(false);
        /** For consumers that take deltas. */
        private final Encoded withRevision = new Encoded(true);

        private WholeList(ServiceView view) {
            this.view = view;
        }

        String requestId() {
            return requestId;
        }

        Payload message(boolean revised) {
            return (revised ? withRevision : plain).get();
        }

        /** Whether the message is encoded already. */
        boolean isEncoded(boolean revised) {
            return (revised ? withRevision : plain).known() != null;
        }

        /** A message that is encoded when it is first needed, and then kept; a large one while it is being sent. */
        private final class Encoded {

            private final boolean revised;
            /** Written with this object's lock held, read without it. */
            private volatile @Nullable Object holder;

            Encoded(boolean revised) {
                this.revised = revised;
            }

            Payload get() {
                Payload known = known();
                if (known == null) {
                    // Another thread that needs it waits as long as it would take to encode the list itself.
                    synchronized (this) {
                        known = known();
                        if (known == null) {
                            known = encode();
                            holder = view.holding(known);
                        }
                    }
                }
                return known;
            }

            @Nullable
            Payload known() {
                return (Payload) ServiceView.held(holder);
            }

            private Payload encode() {
                JsonOutput out = start(requestId, view.newOutput())
                        .object("serviceInfo", view.service().name(), view::writeInfo);
                if (revised) {
                    out.number(ServiceAnswer.REVISION, view.snapshot().version());
                }
                return ServiceMessages.this.message(out);
            }
        }
    }

    /** The messages with the list of a view. */
    WholeList whole(ServiceView view) {
        return view.answer(ServiceView.Form.GRPC_PUSH, WholeList::new);
    }

    /** The message for consumers that take deltas. */
    Payload changes(ViewDelta delta, String requestId) {
        JsonOutput out = start(requestId, new JsonOutput(delta.bytes()));
        delta.write(out);
        return message(out);
    }

    private static JsonOutput start(String requestId, JsonOutput out) {
        return out.json("headers", "{}").text("requestId", requestId);
    }

    private Payload message(JsonOutput out) {
        return Payload.of(MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST, serverIp, out.text("module", "naming"));
    }
}
