package io.cairn.server.subscription;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.naming.view.ViewDelta;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.Watcher;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A push of a service: the subscriber's instances, or for deltas the changes. */
public final class ServicePush extends Push {

    /** For subscribers with whole lists, as all official clients. */
    static final int WHOLE_LISTS = 0;

    /** For subscribers with deltas. */
    static final int DELTAS = 1;

    private static final int SPELLINGS = 2;

    private final ServiceView view;
    private final @Nullable ViewDelta delta;
    private final ServiceMessages messages;
    private final ServiceMessages.WholeList whole;
    /** The connections with whole lists when the push was made. */
    private final int wholeLists;
    /** Null if all receivers get the same. */
    private final @Nullable ConcurrentHashMap<ServiceView, ServicePush> narrowed;

    private ServicePush(
            PushKind kind,
            ServiceView view,
            @Nullable ViewDelta delta,
            ServiceMessages messages,
            ServiceMessages.WholeList whole,
            int wholeLists,
            boolean differs,
            long changedNanos) {
        super(kind, whole.requestId(), changedNanos, SPELLINGS);
        this.view = view;
        this.delta = delta;
        this.messages = messages;
        this.whole = whole;
        this.wholeLists = wholeLists;
        this.narrowed = differs ? new ConcurrentHashMap<>(4) : null;
    }

    /**
     * @param view for subscribers without labels
     * @param delta since the last push; null for whole lists in its place
     * @param wholeLists connections with whole lists in any case
     */
    static ServicePush of(
            PushKind kind,
            ServiceView view,
            @Nullable ViewDelta delta,
            ServiceMessages messages,
            int wholeLists,
            long changedNanos) {
        return new ServicePush(
                kind, view, delta, messages, messages.whole(view), wholeLists, view.dependsOnConsumer(), changedNanos);
    }

    /** Encodes a needed whole list on this thread instead of an event loop. */
    ServicePush encoded() {
        if (wholeLists > 0 && narrowed == null) {
            payload(WHOLE_LISTS);
        }
        return this;
    }

    @Override
    protected Push forWatcher(Watcher watcher) {
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
                    new ServicePush(kind(), seen, null, messages, messages.whole(seen), 0, false, committedNanos());
            ServicePush first = narrowed.putIfAbsent(seen, made);
            known = first == null ? made : first;
        }
        return known;
    }

    boolean hasEncodedList() {
        return whole.isEncoded(false);
    }

    /** The pushed view, for other protocols. */
    public ServiceView view() {
        return view;
    }

    @Override
    public int sizeBytes(int variant) {
        return variant == DELTAS && delta != null ? delta.bytes() : view.encodedBytes();
    }

    /** The estimated bytes for that many receivers. */
    long totalBytes(int receivers) {
        // Receivers over UDP count as receivers of deltas: a datagram is at most 64 KB.
        int whole = Math.min(receivers, wholeLists);
        return (long) whole * sizeBytes(WHOLE_LISTS) + (long) (receivers - whole) * sizeBytes(DELTAS);
    }

    @Override
    public String replyType() {
        return MessageCatalog.NOTIFY_SUBSCRIBER_RESPONSE;
    }

    @Override
    protected Payload encode(int variant) {
        return variant == DELTAS && delta != null
                ? messages.changes(delta, requestId())
                : whole.message(variant == DELTAS);
    }
}
