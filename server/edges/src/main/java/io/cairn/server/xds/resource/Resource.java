package io.cairn.server.xds.resource;

import io.cairn.server.mesh.ContentHash;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** An encoded resource, ready for a response. Its arrays must not be modified. */
public final class Resource {

    private static final int TAG_TYPE_URL = 1 << 3 | 2;
    private static final int TAG_VALUE = 2 << 3 | 2;

    private final XdsType type;
    private final String name;
    private final byte[] any;
    private final int valueOffset;
    private final long hash;

    private Resource(XdsType type, String name, byte[] any, int valueOffset, long hash) {
        this.type = type;
        this.name = name;
        this.any = any;
        this.valueOffset = valueOffset;
        this.hash = hash;
    }

    /** @param value without its envelope */
    public static Resource of(XdsType type, String name, byte[] value) {
        byte[] url = type.encodedTypeUrl();
        byte[] any = new byte[Protobuf.delimitedSize(url.length) + Protobuf.delimitedSize(value.length)];
        int at = Protobuf.writeDelimited(any, 0, TAG_TYPE_URL, url);
        any[at++] = TAG_VALUE;
        at = Protobuf.writeVarint(any, at, value.length);
        System.arraycopy(value, 0, any, at, value.length);
        return new Resource(type, name, any, at, ContentHash.of(value));
    }

    public XdsType type() {
        return type;
    }

    public String name() {
        return name;
    }

    /** The {@code google.protobuf.Any} with the resource; must not be modified. */
    public byte[] any() {
        return any;
    }

    /** In bytes, without its envelope. */
    public int size() {
        return any.length - valueOffset;
    }

    /** A copy without its envelope. */
    public byte[] value() {
        return Arrays.copyOfRange(any, valueOffset, any.length);
    }

    public long hash() {
        return hash;
    }

    /** The hash as text. */
    public String version() {
        return HexFormat.of().toHexDigits(hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Resource resource
                && hash == resource.hash
                && type == resource.type
                && name.equals(resource.name)
                && Arrays.equals(any, resource.any);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(hash);
    }

    @Override
    public String toString() {
        return type.shortName() + ' ' + name + ' ' + version();
    }
}
