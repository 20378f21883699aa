package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import java.util.AbstractList;
import java.util.List;
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
    private final String clusters;
    private final long cacheMillis;
    private final Hosted[] hosts;
    private final boolean isProtected;
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
            String clusters,
            long cacheMillis,
            Hosted[] hosts,
            boolean isProtected) {
        this.snapshot = snapshot;
        this.groupedName = groupedName;
        this.clusters = clusters;
        this.cacheMillis = cacheMillis;
        this.hosts = hosts;
        this.isProtected = isProtected;
    }

    public ServiceKey service() {
        return snapshot.service();
    }

    public ServiceSnapshot snapshot() {
        return snapshot;
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

    /** Whether a consumer that has the other one would see no difference. */
    public boolean showsTheSameAs(ServiceView other) {
        return isProtected == other.isProtected
                && clusters.equals(other.clusters)
                && ServiceSnapshot.same(hosts, other.hosts);
    }

    /** About how many bytes it is long when encoded. */
    public int encodedBytes() {
        return 256 + hosts.length * 384;
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
        return new JsonOutput(encodedBytes())
                .text("name", name)
                .text("groupName", service().group())
                .text("clusters", clusters)
                .number("cacheMillis", cacheMillis)
                .json("hosts", hostsJson())
                .number("lastRefTime", snapshot.refMillis())
                .text("checksum", "")
                .flag("allIPs", false)
                // The same under the name that 3.x knows.
                .flag("allIps", false)
                .flag("reachProtectionThreshold", isProtected)
                .flag("valid", true)
                .toBytes();
    }

    /** {@code group@@name}. */
    public String groupedName() {
        return groupedName;
    }

    /** The instances as a JSON array. */
    public byte[] hostsJson() {
        byte[][] parts = new byte[hosts.length][];
        int size = 2 + Math.max(0, hosts.length - 1);
        for (int i = 0; i < hosts.length; i++) {
            parts[i] = hosts[i].json(groupedName);
            size += parts[i].length;
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
