package io.cairn.server.subscription;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.naming.view.ViewDelta;
import org.jspecify.annotations.Nullable;

/** The messages to subscribers of a service. */
final class ServiceMessages {

    private final RequestIds requestIds;
    private final String serverIp;

    /** @param serverIp the sender in them */
    ServiceMessages(RequestIds requestIds, String serverIp) {
        this.requestIds = requestIds;
        this.serverIp = serverIp;
    }

    /** The messages with a view's whole list, for all its pushes. Their id need only be unique within a connection. */
    final class WholeList {

        private final ServiceView view;
        private final String requestId = requestIds.next();
        /** For consumers without revisions. */
        private final Encoded plain = new Encoded(false);
        /** For consumers with deltas. */
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

        boolean isEncoded(boolean revised) {
            return (revised ? withRevision : plain).known() != null;
        }

        /** A message encoded when first needed, and then kept; a large one while it is being sent. */
        private final class Encoded {

            private final boolean revised;
            /** Written with this lock held, read without it. */
            private volatile @Nullable Object holder;

            Encoded(boolean revised) {
                this.revised = revised;
            }

            Payload get() {
                Payload known = known();
                if (known == null) {
                    // A second thread waits no longer than its own encoding would take.
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

    WholeList whole(ServiceView view) {
        return view.answer(ServiceView.Form.GRPC_PUSH, WholeList::new);
    }

    /** For consumers with deltas. */
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
