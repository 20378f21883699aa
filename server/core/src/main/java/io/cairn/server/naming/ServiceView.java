package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.label.LabelRule;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What consumers with one selection get of a service. Whatever is made of it, an answer or a push, is made once and shared
 * by all who get it. Immutable but for that, and thread-safe.
 */
public final class ServiceView {

    private final ServiceSnapshot snapshot;
    private final String groupedName;
    private final ServiceSnapshot.Selection selection;
    private final RegisteredInstance[] hosts;
    private final boolean isProtected;
    /** By the values of the labels of consumers; there are no more than operators have named. */
    private final @Nullable ConcurrentHashMap<List<String>, ServiceView> narrowed;

    private final AtomicReferenceArray<@Nullable Object> answers = new AtomicReferenceArray<>(Form.values().length);

    /** The kinds of answers that are kept with a view. */
    public enum Form {
        GRPC_QUERY,
        GRPC_SUBSCRIBE,
        GRPC_PUSH,
        HTTP_V1_LIST,
        HTTP_V2_LIST,
        HTTP_V3_LIST,
        UDP
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

    /** Whether consumers at different addresses may be told different things. */
    public boolean dependsOnConsumer() {
        return narrowed != null;
    }

    /**
     * What a consumer gets that is at that address: of the instances only those whose labels are the same as its own, where
     * the service has a selector that demands it. All of them if there are no such ones, or one of its labels is missing.
     *
     * @param address of the consumer; names are not looked up
     */
    public ServiceView seenFrom(String address) {
        LabelRule rule = snapshot.rule();
        if (narrowed == null || rule == null) {
            return this;
        }
        List<String> values = rule.values(address);
        if (values == null) {
            return this;
        }
        ServiceView known = narrowed.get(values);
        if (known == null) {
            // Two may make it at the same time: better than that one waits on an event loop.
            ServiceView made = snapshot.narrowed(this, values);
            ServiceView first = narrowed.putIfAbsent(values, made);
            known = first == null ? made : first;
        }
        return known;
    }

    /** The enabled instances of the selection; all of them as healthy where the service is protected. */
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

    /** Whether so few instances are healthy that all are handed out. */
    public boolean isProtected() {
        return isProtected;
    }

    /** Whether consumers that have the other one, wherever they are, would see no difference. */
    public boolean showsTheSameAs(ServiceView other) {
        if (!selection.clusters().equals(other.selection.clusters())) {
            return false;
        }
        // What some of them see is not seen here: where all are protected, say, who is healthy.
        return snapshot.rule() != null || other.snapshot.rule() != null
                ? snapshot.tellsTheSameAs(other.snapshot)
                : isProtected == other.isProtected && ServiceSnapshot.same(hosts, other.hosts);
    }

    /** About how many bytes it is long when encoded, without encoding it. */
    public int encodedBytes() {
        return 256 + hosts.length * 384;
    }

    /** At most how many bytes the encoded service info takes beside its names; encodes instances that are not yet. */
    private int bytes() {
        int bytes = 512 + selection.clusters().length() * 2;
        for (RegisteredInstance host : hosts) {
            bytes += host.json(groupedName).length + 1;
        }
        return bytes;
    }

    /** A JSON object with room for the service info. */
    public JsonOutput newOutput() {
        return new JsonOutput(bytes());
    }

    /**
     * The answer of that form, made by the function when first asked for.
     *
     * @param encode the same function for one form, everywhere
     */
    @SuppressWarnings({"unchecked", "EnumOrdinal"}) // one form is always made by one function
    public <T> T answer(Form form, Function<ServiceView, T> encode) {
        Object known = answers.get(form.ordinal());
        if (known == null) {
            known = encode.apply(this);
            answers.set(form.ordinal(), known);
        }
        return (T) known;
    }

    /**
     * The service info of the wire, as one JSON object.
     *
     * @param name the name in the spelling of the protocol: gRPC has it without the group, HTTP with it
     */
    public byte[] info(String name) {
        JsonOutput out = newOutput();
        writeInfo(name, out);
        return out.toBytes();
    }

    /** As {@link #info}, the fields alone: into the object that holds them, so that a large list is copied once. */
    public void writeInfo(String name, JsonOutput out) {
        out.text("name", name)
                .text("groupName", service().group())
                .text("clusters", selection.clusters())
                .number("cacheMillis", selection.cacheMillis())
                .array("hosts", encodedHosts())
                .number("lastRefTime", snapshot.refMillis())
                .text("checksum", "")
                .flag("allIPs", false)
                // The same under the name that 3.x knows.
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
