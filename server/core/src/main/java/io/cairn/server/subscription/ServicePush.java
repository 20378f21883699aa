package io.cairn.server.subscription;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.naming.ViewDelta;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.Watcher;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A push of a service to its subscribers: all instances that the subscriber gets, or for one that takes deltas what has changed. */
public final class ServicePush extends Push {

    /** Subscribers that get whole lists, as all official clients do. */
    static final int WHOLE_LISTS = 0;

    /** Subscribers that have asked for deltas. */
    static final int DELTAS = 1;

    private static final int SPELLINGS = 2;

    private final ServiceView view;
    private final @Nullable ViewDelta delta;
    private final ServiceMessages messages;
    private final ServiceMessages.Whole whole;
    /** Null if all receivers get the same. */
    private final @Nullable ConcurrentHashMap<ServiceView, ServicePush> narrowed;

    private ServicePush(
            PushKind kind,
            ServiceView view,
            @Nullable ViewDelta delta,
            ServiceMessages messages,
            ServiceMessages.Whole whole,
            boolean differs,
            long changedNanos) {
        super(kind, whole.requestId(), changedNanos, SPELLINGS);
        this.view = view;
        this.delta = delta;
        this.messages = messages;
        this.whole = whole;
        this.narrowed = differs ? new ConcurrentHashMap<>(4) : null;
    }

    /**
     * @param view the instances for subscribers without labels
     * @param delta what has changed since the last push; null if subscribers that take deltas get a whole list too
     */
    static ServicePush of(
            PushKind kind, ServiceView view, @Nullable ViewDelta delta, ServiceMessages messages, long changedNanos) {
        return new ServicePush(
                kind, view, delta, messages, messages.whole(view), view.dependsOnConsumer(), changedNanos);
    }

    @Override
    protected Push toldTo(Watcher watcher) {
        if (narrowed == null) {
            return this;
        }
        ServiceView seen = view.seenFrom(watcher.address());
        if (seen == view) {
            return this;
        }
        ServicePush known = narrowed.get(seen);
        if (known == null) {
            ServicePush made =
                    new ServicePush(kind(), seen, null, messages, messages.whole(seen), false, committedNanos());
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
    public int sizeBytes(int spelling) {
        return spelling == DELTAS && delta != null ? delta.bytes() : view.encodedBytes();
    }

    @Override
    public String replyType() {
        return MessageCatalog.NOTIFY_SUBSCRIBER_RESPONSE;
    }

    @Override
    protected Payload encode(int spelling) {
        return spelling == DELTAS ? messages.following(view, delta, requestId()) : whole.payload();
    }
}
