package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * An xDS response of either protocol, read as far as a proxy must: what it acknowledges, the names of clusters, and how many
 * endpoints each service has at which ports. A view of the received bytes, valid only during the call that hands it over.
 */
final class DiscoveryResponse {
    private static final int VERSION = 1;
    private static final int RESOURCE = 2;
    private static final int TYPE_URL = 4;
    private static final int NONCE = 5;

    /** Of {@code google.protobuf.Any}, and of the {@code Resource} around it in the delta protocol. */
    private static final int VALUE = 2;

    /** Of a Cluster and of a ClusterLoadAssignment. */
    private static final int NAME = 1;

    /** ClusterLoadAssignment: endpoints, lb_endpoints, endpoint, address, socket_address, port_value. */
    private static final int[] PORT = {2, 2, 1, 1, 1, 3};

    /** Hears the resources of a response. Services are known by the number behind the last hyphen of their names. */
    interface Resources {
        void cluster(int service);

        void endpoints(int service, int count, int sumOfPorts);
    }

    private final ByteBuf bytes;
    private final int start;
    private final int end;
    private final boolean delta;
    private byte[] version = {};
    private byte[] nonce = {};
    private @Nullable ResourceKind kind;

    private int count;
    private int sumOfPorts;

    /** Reads the protobuf message at {@code index}, without its gRPC prefix. */
    DiscoveryResponse(ByteBuf bytes, int index, int length, boolean delta) {
        this.bytes = bytes;
        this.delta = delta;
        start = index;
        end = index + length;
        var in = new ProtoReader(bytes, start);
        while (in.index < end) {
            int tag = in.varint();
            switch (tag >>> 3) {
                case VERSION -> version = taken(in);
                case NONCE -> nonce = taken(in);
                case TYPE_URL -> {
                    int size = in.varint();
                    kind = ResourceKind.of(bytes, in.index, size);
                    in.index += size;
                }
                default -> in.skip(tag);
            }
        }
    }

    private static byte[] taken(ProtoReader in) {
        byte[] value = new byte[in.varint()];
        in.bytes.getBytes(in.index, value);
        in.index += value.length;
        return value;
    }

    byte[] version() {
        return version;
    }

    byte[] nonce() {
        return nonce;
    }

    /** Null for a type that no proxy here subscribes to. */
    @Nullable
    ResourceKind kind() {
        return kind;
    }

    void read(Resources resources) {
        if (kind == null || kind == ResourceKind.LISTENERS) {
            return;
        }
        var in = new ProtoReader(bytes, start);
        while (in.index < end) {
            int tag = in.varint();
            if (tag >>> 3 != RESOURCE) {
                in.skip(tag);
                continue;
            }
            int size = in.varint();
            readWrapped(in, in.index + size, delta, resources);
        }
    }

    /** @param wrapped whether it is a {@code Resource} that holds the {@code Any} */
    private void readWrapped(ProtoReader in, int last, boolean wrapped, Resources resources) {
        while (in.index < last) {
            int tag = in.varint();
            if (tag >>> 3 != VALUE) {
                in.skip(tag);
                continue;
            }
            int size = in.varint();
            if (wrapped) {
                readWrapped(in, in.index + size, false, resources);
            } else {
                readResource(in, in.index + size, resources);
            }
        }
    }

    private void readResource(ProtoReader in, int last, Resources resources) {
        int service = -1;
        int from = in.index;
        while (in.index < last && service < 0) {
            int tag = in.varint();
            if (tag >>> 3 == NAME) {
                int size = in.varint();
                service = numberAtEnd(in.index, in.index + size);
                in.index += size;
            } else {
                in.skip(tag);
            }
        }
        if (kind == ResourceKind.CLUSTERS) {
            resources.cluster(service);
        } else {
            in.index = from;
            count = 0;
            sumOfPorts = 0;
            addPorts(in, last, 0);
            resources.endpoints(service, count, sumOfPorts);
        }
        in.index = last;
    }

    private void addPorts(ProtoReader in, int last, int depth) {
        while (in.index < last) {
            int tag = in.varint();
            if (tag >>> 3 != PORT[depth]) {
                in.skip(tag);
            } else if (depth == PORT.length - 1) {
                count++;
                sumOfPorts += in.varint();
            } else {
                int size = in.varint();
                addPorts(in, in.index + size, depth + 1);
            }
        }
    }

    private int numberAtEnd(int from, int to) {
        int number = 0;
        int digit = 1;
        for (int i = to - 1; i >= from; i--) {
            byte b = bytes.getByte(i);
            if (b < '0' || b > '9') {
                return b == '-' && digit > 1 ? number : -1;
            }
            number += (b - '0') * digit;
            digit *= 10;
        }
        return -1;
    }
}
