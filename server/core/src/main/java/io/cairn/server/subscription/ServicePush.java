package io.cairn.server.subscription;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.Watcher;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A push of a service to its subscribers. It always contains all instances that the subscriber gets. */
public final class ServicePush extends Push {

    private final ServiceView view;
    private final Encoded encoded;
    /** Null if all receivers get the same. */
    private final @Nullable Encoder encoder;

    private final @Nullable ConcurrentHashMap<ServiceView, ServicePush> narrowed;

    /** Encodes the message of a view, or returns the one that was encoded before. */
    @FunctionalInterface
    interface Encoder {
        Encoded encode(ServiceView view);
    }

    /** The message of a view, encoded once for all pushes of it; its id need only be unique within a connection. */
    record Encoded(String requestId, Payload payload) {

        static Encoded of(ServiceView view, String requestId, String serverIp) {
            return new Encoded(
                    requestId,
                    Payload.of(
                            MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                            serverIp,
                            view.newOutput()
                                    .json("headers", "{}")
                                    .text("requestId", requestId)
                                    .object("serviceInfo", view.service().name(), view::writeInfo)
                                    .text("module", "naming")));
        }
    }

    private ServicePush(
            PushKind kind, ServiceView view, Encoded encoded, @Nullable Encoder encoder, long changedNanos) {
        super(kind, encoded.requestId(), changedNanos, 1);
        this.view = view;
        this.encoded = encoded;
        this.encoder = encoder;
        this.narrowed = encoder == null ? null : new ConcurrentHashMap<>(4);
    }

    /** @param view the instances for subscribers without labels */
    static ServicePush of(PushKind kind, ServiceView view, Encoder encoder, long changedNanos) {
        return new ServicePush(
                kind, view, encoder.encode(view), view.dependsOnConsumer() ? encoder : null, changedNanos);
    }

    @Override
    protected Push toldTo(Watcher watcher) {
        if (encoder == null || narrowed == null) {
            return this;
        }
        ServiceView seen = view.seenFrom(watcher.address());
        if (seen == view) {
            return this;
        }
        ServicePush known = narrowed.get(seen);
        if (known == null) {
            ServicePush made = new ServicePush(kind(), seen, encoder.encode(seen), null, committedNanos());
            ServicePush first = narrowed.putIfAbsent(seen, made);
            known = first == null ? made : first;
        }
        return known;
    }

    /** The pushed view, for receivers that use another protocol. */
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
