package io.cairn.server.cluster.wire;

import io.cairn.api.naming.Instance;
import io.cairn.server.naming.registry.PublishedInstances;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encoded instances. The bytes were checked on arrival, so decoding does not fail. */
public final class EncodedInstances implements PublishedInstances {

    private final byte[] bytes;
    private final int size;

    private EncodedInstances(byte[] bytes, int size) {
        this.bytes = bytes;
        this.size = size;
    }

    public static EncodedInstances of(List<Instance> instances) {
        FieldWriter out = new FieldWriter(128);
        InstanceFields.write(out, instances);
        return new EncodedInstances(out.toBytes(), instances.size());
    }

    /**
     * Checks the bytes whole.
     *
     * @throws MalformedMessageException naming the field
     */
    static EncodedInstances received(byte[] bytes) {
        return new EncodedInstances(bytes, InstanceFields.check(bytes));
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public List<Instance> decode() {
        return InstanceFields.read(bytes, size);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof EncodedInstances that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return size + " instances in " + bytes.length + " bytes";
    }
}
