package io.cairn.server.subscription;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;

/** Tells subscribers which instances a service has now: always all of them. */
public final class ServicePush extends Push {

    private final ServiceView view;
    private final Encoded encoded;

    /** The message of a view, made once for all pushes that show it; its id need only be unique within a connection. */
    record Encoded(String requestId, Payload payload) {

        static Encoded of(ServiceView view, String requestId, String serverIp) {
            return new Encoded(
                    requestId,
                    Payload.of(
                            MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                            serverIp,
                            new JsonOutput(view.encodedBytes() + 128)
                                    .json("headers", "{}")
                                    .text("requestId", requestId)
                                    .json(
                                            "serviceInfo",
                                            view.info(view.service().name()))
                                    .text("module", "naming")
                                    .toBytes()));
        }
    }

    ServicePush(PushKind kind, ServiceView view, Encoded encoded, long changedNanos) {
        super(kind, encoded.requestId(), changedNanos, 1);
        this.view = view;
        this.encoded = encoded;
    }

    /** What it shows, for receivers that speak another protocol. */
    public ServiceView view() {
        return view;
    }

    @Override
    public int sizeBytes() {
        return view.encodedBytes();
    }

    @Override
    public String replyType() {
        return MessageCatalog.NOTIFY_SUBSCRIBER_RESPONSE;
    }

    @Override
    protected Payload encode(int spelling) {
        return encoded.payload();
    }
}
