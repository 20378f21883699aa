package io.cairn.server.naming.view;

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
 * A service's instances for one selection. Each response or push is encoded once for all receivers. Immutable except for these
 * encodings.
 */
public final class ServiceView {

    /**
     * A longer encoding is held while it is sent, and until the next garbage collection. Lists get a new time after some seconds,
     * so keeping them is useless.
     */
    private static final int LARGE_BYTES = 64 << 10;

    private final ServiceSnapshot snapshot;
    private final String groupedName;
    private final ServiceSnapshot.Selection selection;
    private final RegisteredInstance[] hosts;
    private final List<Instance> drained;
    private final boolean isProtected;
    /** By label values, limited by operators' configuration. */
    private final @Nullable ConcurrentHashMap<List<String>, ServiceView> narrowed;

    private final AtomicReferenceArray<@Nullable Object> answers = new AtomicReferenceArray<>(Form.values().length);

    /** Cached kinds of responses. */
    public enum Form {
        GRPC_QUERY(true),
        GRPC_SUBSCRIBE(true),
        /** For consumers with deltas. */
        GRPC_SUBSCRIBE_WITH_REVISION(true),
        /** A push, which caches its messages itself. */
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

    public ServiceView(
            ServiceSnapshot snapshot,
            String groupedName,
            ServiceSnapshot.Selection selection,
            RegisteredInstance[] hosts,
            List<Instance> drained,
            boolean isProtected) {
        this.snapshot = snapshot;
        this.groupedName = groupedName;
        this.selection = selection;
        this.hosts = hosts;
        this.drained = drained;
        this.isProtected = isProtected;
        this.narrowed = snapshot.rule() == null ? null : new ConcurrentHashMap<>(4);
    }

    public ServiceKey service() {
        return snapshot.service();
    }

    public ServiceSnapshot snapshot() {
        return snapshot;
    }

    public ServiceSnapshot.Selection selection() {
        return selection;
    }

    /** Whether instances differ by consumers' addresses. */
    public boolean dependsOnConsumer() {
        return narrowed != null;
    }

    /**
     * The consumer's view. A selector leaves instances with the consumer's labels, or all without a match.
     *
     * @param address names are not resolved
     */
    public ServiceView seenFrom(String address) {
        LabelRule rule = snapshot.rule();
        return rule == null ? this : narrowed(rule.values(address));
    }

    /** As {@link #seenFrom}, for a consumer with these labels. */
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
            // Two threads may make the same view: better than a blocked event loop.
            ServiceView made = snapshot.narrowed(this, values);
            ServiceView first = narrowed.putIfAbsent(values, made);
            known = first == null ? made : first;
        }
        return known;
    }

    /** The enabled instances; all as healthy under protection. */
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

    /** The instances that a drain alone keeps out of {@link #hosts}, for consumers that know such a state. */
    public List<Instance> drained() {
        return drained;
    }

    /** Whether so few are healthy that all are returned as healthy. */
    public boolean isProtected() {
        return isProtected;
    }

    /** Whether every consumer gets the same, with any labels. */
    public boolean showsTheSameAs(ServiceView other) {
        if (!selection.clusters().equals(other.selection.clusters())) {
            return false;
        }
        // Views by label can differ where these are equal: protection may hide which instances are healthy.
        return snapshot.rule() != null || other.snapshot.rule() != null
                ? snapshot.isEquivalentTo(other.snapshot)
                : isProtected == other.isProtected && ServiceSnapshot.same(hosts, other.hosts);
    }

    /** Whether clients with deltas get any of this service; else all get whole lists. */
    public boolean hasDeltas() {
        return snapshot.changes() != null;
    }

    /** Since an earlier version; null to send a whole list. */
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

    /** All known changes; null to send a whole list. */
    public @Nullable ViewDelta recently() {
        RecentChanges changes = snapshot.changes();
        return changes == null ? null : since(changes.since());
    }

    /** Estimated; encodes nothing. */
    public int encodedBytes() {
        return 256 + hosts.length * 384;
    }

    /** Upper bound without names; encodes unencoded instances. */
    private int bytes() {
        int bytes = 512 + selection.clusters().length() * 2;
        for (RegisteredInstance host : hosts) {
            bytes += host.json(groupedName).length + 1;
        }
        return bytes;
    }

    /** With capacity for the service info. */
    public JsonOutput newOutput() {
        return new JsonOutput(bytes());
    }

    /**
     * The form's response, encoded once.
     *
     * @param encode always the same function for a form
     */
    @SuppressWarnings({"unchecked", "EnumOrdinal"}) // One form is always made by one function
    public <T> T answer(Form form, Function<ServiceView, T> encode) {
        Object holder = answers.get(form.ordinal());
        Object known = held(holder);
        if (known == null) {
            Object made = encode.apply(this);
            if (answers.compareAndSet(form.ordinal(), holder, form.isWholeList ? holding(made) : made)) {
                return (T) made;
            }
            // Two threads have encoded it; all receivers get the kept one.
            Object other = held(answers.get(form.ordinal()));
            known = other == null ? made : other;
        }
        return (T) known;
    }

    /** The holder of a whole list's encoding; see {@link #held}. */
    public Object holding(Object encoded) {
        return encodedBytes() < LARGE_BYTES ? encoded : new WeakReference<>(encoded);
    }

    /** The encoding in the holder, or null if collected. */
    public static @Nullable Object held(@Nullable Object holder) {
        return holder instanceof WeakReference<?> large ? large.get() : holder;
    }

    /**
     * The service info as JSON.
     *
     * @param name without the group for gRPC, with it for HTTP
     */
    public byte[] info(String name) {
        JsonOutput out = newOutput();
        writeInfo(name, out);
        return out.toBytes();
    }

    /** Writes the fields of {@link #info} into the enclosing object, so that a large list is copied once. */
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

    public String groupedName() {
        return groupedName;
    }

    /** A JSON array. */
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
