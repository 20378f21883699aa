package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.label.LabelRule;
import java.lang.ref.WeakReference;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service for consumers with one selection. Each response or push of it is encoded once and shared
 * by all receivers. Immutable except for these cached encodings, and thread-safe.
 */
public final class ServiceView {

    /**
     * A longer encoding is held as long as it is being sent, and then until the next garbage collection. Lists are read
     * again with a later time after some seconds, so that a view that is kept would keep them for nothing.
     */
    private static final int LARGE_BYTES = 64 << 10;

    private final ServiceSnapshot snapshot;
    private final String groupedName;
    private final ServiceSnapshot.Selection selection;
    private final RegisteredInstance[] hosts;
    private final boolean isProtected;
    /**
     * The views by the consumers' label values; their number is limited by the values that operators have configured.
     */
    private final @Nullable ConcurrentHashMap<List<String>, ServiceView> narrowed;

    private final AtomicReferenceArray<@Nullable Object> answers = new AtomicReferenceArray<>(Form.values().length);

    /** The kinds of encoded responses that a view caches. */
    public enum Form {
        GRPC_QUERY(true),
        GRPC_SUBSCRIBE(true),
        /** For a consumer that takes deltas. */
        GRPC_SUBSCRIBE_WITH_REVISION(true),
        /** Holds its messages by itself. */
        GRPC_PUSH(false),
        HTTP_V1_LIST(true),
        HTTP_V2_LIST(true),
        HTTP_V3_LIST(true),
        /** At most 64 KB. */
        UDP(false);

        private final boolean isWholeList;

        Form(boolean isWholeList) {
            this.isWholeList = isWholeList;
        }
    }

    ServiceView(
            ServiceSnapshot snapshot,
            String groupedName,
            ServiceSnapshot.Selection selection,
            RegisteredInstance[] hosts,
            boolean isProtected) {
        this.snapshot = snapshot;
        this.groupedName = groupedName;
        this.selection = selection;
        this.hosts = hosts;
        this.isProtected = isProtected;
        this.narrowed = snapshot.rule() == null ? null : new ConcurrentHashMap<>(4);
    }

    public ServiceKey service() {
        return snapshot.service();
    }

    public ServiceSnapshot snapshot() {
        return snapshot;
    }

    ServiceSnapshot.Selection selection() {
        return selection;
    }

    /** Whether consumers at different addresses may get different instances. */
    public boolean dependsOnConsumer() {
        return narrowed != null;
    }

    /**
     * The view for a consumer at that address. If the service has a selector, only instances with the same labels as
     * the consumer; all instances if none has them, or the consumer lacks one of the labels.
     *
     * @param address of the consumer; names are not resolved
     */
    public ServiceView seenFrom(String address) {
        LabelRule rule = snapshot.rule();
        return rule == null ? this : narrowed(rule.values(address));
    }

    /** The view for a consumer with these labels, whatever its address has at present; else as {@link #seenFrom}. */
    public ServiceView seenWith(Map<String, String> labels) {
        LabelRule rule = snapshot.rule();
        return rule == null ? this : narrowed(rule.values(labels));
    }

    private ServiceView narrowed(@Nullable List<String> values) {
        if (narrowed == null || values == null) {
            return this;
        }
        ServiceView known = narrowed.get(values);
        if (known == null) {
            // Two threads may make the same view at the same time. That is better than blocking an event loop.
            ServiceView made = snapshot.narrowed(this, values);
            ServiceView first = narrowed.putIfAbsent(values, made);
            known = first == null ? made : first;
        }
        return known;
    }

    /** The enabled instances of the selection; all of them as healthy if the service is protected. */
    public List<Instance> hosts() {
        return new AbstractList<>() {
            @Override
            public Instance get(int index) {
                return hosts[index].shown();
            }

            @Override
            public int size() {
                return hosts.length;
            }
        };
    }

    /** Whether the share of healthy instances is so low that all are returned as healthy. */
    public boolean isProtected() {
        return isProtected;
    }

    /** Whether every consumer, whatever its labels, gets the same from the other view. */
    public boolean showsTheSameAs(ServiceView other) {
        if (!selection.clusters().equals(other.selection.clusters())) {
            return false;
        }
        // The views by label can differ where these two are equal: for example, protection hides here which instances
        // are healthy.
        return snapshot.rule() != null || other.snapshot.rule() != null
                ? snapshot.tellsTheSameAs(other.snapshot)
                : isProtected == other.isProtected && ServiceSnapshot.same(hosts, other.hosts);
    }

    /** Whether clients that take deltas are sent some of this service; otherwise all clients get whole lists. */
    public boolean hasDeltas() {
        return snapshot.changes() != null;
    }

    /** The changes since an earlier version of the service; null when a whole list is to be sent. */
    public @Nullable ViewDelta since(long version) {
        RecentChanges changes = snapshot.changes();
        if (changes == null
                || version > snapshot.version()
                || selection.healthyOnly()
                || !selection.clusters().isEmpty()) {
            return null;
        }
        RecentChanges.Changed changed = changes.since(version);
        return changed == null ? null : new ViewDelta(this, version, changed);
    }

    /** All that is known to have changed; null when a whole list is to be sent. */
    public @Nullable ViewDelta recently() {
        RecentChanges changes = snapshot.changes();
        return changes == null ? null : since(changes.since());
    }

    /** Estimated encoded size in bytes; encodes nothing. */
    public int encodedBytes() {
        return 256 + hosts.length * 384;
    }

    /**
     * Upper bound of the encoded service info in bytes, without its names; encodes the instances that are not encoded
     * yet.
     */
    private int bytes() {
        int bytes = 512 + selection.clusters().length() * 2;
        for (RegisteredInstance host : hosts) {
            bytes += host.json(groupedName).length + 1;
        }
        return bytes;
    }

    /** A JSON object with capacity for the service info. */
    public JsonOutput newOutput() {
        return new JsonOutput(bytes());
    }

    /**
     * The response of that form, encoded by the function on the first call.
     *
     * @param encode the same function for a form on every call
     */
    @SuppressWarnings({"unchecked", "EnumOrdinal"}) // one form is always made by one function
    public <T> T answer(Form form, Function<ServiceView, T> encode) {
        Object holder = answers.get(form.ordinal());
        Object known = held(holder);
        if (known == null) {
            Object made = encode.apply(this);
            if (answers.compareAndSet(form.ordinal(), holder, form.isWholeList ? holding(made) : made)) {
                return (T) made;
            }
            // Two threads have made the same answer at the same time. All receivers get the one that is kept.
            Object other = held(answers.get(form.ordinal()));
            known = other == null ? made : other;
        }
        return (T) known;
    }

    /** The encoding of the whole list, as the view and what belongs to it hold it; see {@link #held}. */
    public Object holding(Object encoded) {
        return encodedBytes() < LARGE_BYTES ? encoded : new WeakReference<>(encoded);
    }

    /** The encoding that {@link #holding} was given; null when there is none any more. */
    public static @Nullable Object held(@Nullable Object holder) {
        return holder instanceof WeakReference<?> large ? large.get() : holder;
    }

    /**
     * The service info of the wire as a JSON object.
     *
     * @param name the name in the spelling of the protocol: without the group for gRPC, with the group for HTTP
     */
    public byte[] info(String name) {
        JsonOutput out = newOutput();
        writeInfo(name, out);
        return out.toBytes();
    }

    /** As {@link #info}, but writes only the fields, into the enclosing object, so that a large list is copied once. */
    public void writeInfo(String name, JsonOutput out) {
        out.text("name", name)
                .text("groupName", service().group())
                .text("clusters", selection.clusters())
                .number("cacheMillis", selection.cacheMillis())
                .array("hosts", encodedHosts(), snapshot.partsOf(hosts))
                .number("lastRefTime", snapshot.refMillis())
                .text("checksum", "")
                .flag("allIPs", false)
                // The same value under its name in Nacos 3.x.
                .flag("allIps", false)
                .flag("reachProtectionThreshold", isProtected)
                .flag("valid", true);
    }

    private byte[][] encodedHosts() {
        byte[][] encoded = new byte[hosts.length][];
        for (int i = 0; i < hosts.length; i++) {
            encoded[i] = hosts[i].json(groupedName);
        }
        return encoded;
    }

    /** {@code group@@name}. */
    public String groupedName() {
        return groupedName;
    }

    /** The instances as a JSON array. */
    public byte[] hostsJson() {
        byte[][] parts = encodedHosts();
        int size = 2 + Math.max(0, hosts.length - 1);
        for (byte[] part : parts) {
            size += part.length;
        }
        byte[] all = new byte[size];
        int at = 0;
        all[at++] = '[';
        for (int i = 0; i < parts.length; i++) {
            if (i > 0) {
                all[at++] = ',';
            }
            System.arraycopy(parts[i], 0, all, at, parts[i].length);
            at += parts[i].length;
        }
        all[at] = ']';
        return all;
    }
}
