package io.cairn.server.xds.view;

import io.cairn.server.xds.resource.Protobuf;
import io.cairn.server.xds.resource.Resource;
import io.cairn.server.xds.resource.XdsType;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/**
 * Encodes responses: {@code envoy.service.discovery.v3.DiscoveryResponse} and {@code DeltaDiscoveryResponse}, each with this server
 * as control plane.
 */
public final class DiscoveryMessages {

    private static final int VERSION = 1 << 3 | 2;
    private static final int RESOURCES = 2 << 3 | 2;
    private static final int TYPE_URL = 4 << 3 | 2;
    private static final int NONCE = 5 << 3 | 2;
    private static final int REMOVED = 6 << 3 | 2;
    private static final int CONTROL_PLANE_OF_SOTW = 6 << 3 | 2;
    private static final int CONTROL_PLANE_OF_DELTA = 7 << 3 | 2;
    private static final int IDENTIFIER = 1 << 3 | 2;
    private static final int RESOURCE_VERSION = 1 << 3 | 2;
    private static final int RESOURCE_ANY = 2 << 3 | 2;
    private static final int RESOURCE_NAME = 3 << 3 | 2;

    private final byte[] controlPlane;

    /** @param identifier of this server, for proxies */
    public DiscoveryMessages(String identifier) {
        byte[] text = utf8(identifier);
        this.controlPlane = new byte[Protobuf.delimitedSize(text.length)];
        Protobuf.writeDelimited(controlPlane, 0, IDENTIFIER, text);
    }

    public byte[] sotw(XdsType type, String version, String nonce, Collection<Resource> resources) {
        byte[] versionBytes = utf8(version);
        byte[] nonceBytes = utf8(nonce);
        int size = Protobuf.delimitedSize(versionBytes.length)
                + Protobuf.delimitedSize(type.encodedTypeUrl().length)
                + Protobuf.delimitedSize(nonceBytes.length)
                + Protobuf.delimitedSize(controlPlane.length);
        for (Resource resource : resources) {
            size = Math.addExact(size, Protobuf.delimitedSize(resource.any().length));
        }
        byte[] out = new byte[size];
        int at = Protobuf.writeDelimited(out, 0, VERSION, versionBytes);
        for (Resource resource : resources) {
            at = Protobuf.writeDelimited(out, at, RESOURCES, resource.any());
        }
        at = Protobuf.writeDelimited(out, at, TYPE_URL, type.encodedTypeUrl());
        at = Protobuf.writeDelimited(out, at, NONCE, nonceBytes);
        Protobuf.writeDelimited(out, at, CONTROL_PLANE_OF_SOTW, controlPlane);
        return out;
    }

    public byte[] delta(
            XdsType type, String version, String nonce, Collection<Resource> changed, Collection<String> removed) {
        byte[] versionBytes = utf8(version);
        byte[] nonceBytes = utf8(nonce);
        int size = Protobuf.delimitedSize(versionBytes.length)
                + Protobuf.delimitedSize(type.encodedTypeUrl().length)
                + Protobuf.delimitedSize(nonceBytes.length)
                + Protobuf.delimitedSize(controlPlane.length);
        for (Resource resource : changed) {
            size = Math.addExact(size, Protobuf.delimitedSize(resourceSize(resource)));
        }
        for (String name : removed) {
            size = Math.addExact(size, Protobuf.delimitedSize(utf8(name).length));
        }
        byte[] out = new byte[size];
        int at = Protobuf.writeDelimited(out, 0, VERSION, versionBytes);
        for (Resource resource : changed) {
            out[at++] = RESOURCES;
            at = Protobuf.writeVarint(out, at, resourceSize(resource));
            at = Protobuf.writeDelimited(out, at, RESOURCE_VERSION, utf8(resource.version()));
            at = Protobuf.writeDelimited(out, at, RESOURCE_ANY, resource.any());
            at = Protobuf.writeDelimited(out, at, RESOURCE_NAME, utf8(resource.name()));
        }
        at = Protobuf.writeDelimited(out, at, TYPE_URL, type.encodedTypeUrl());
        at = Protobuf.writeDelimited(out, at, NONCE, nonceBytes);
        for (String name : removed) {
            at = Protobuf.writeDelimited(out, at, REMOVED, utf8(name));
        }
        Protobuf.writeDelimited(out, at, CONTROL_PLANE_OF_DELTA, controlPlane);
        return out;
    }

    private static int resourceSize(Resource resource) {
        return Protobuf.delimitedSize(VERSION_DIGITS)
                + Protobuf.delimitedSize(resource.any().length)
                + Protobuf.delimitedSize(utf8(resource.name()).length);
    }

    private static final int VERSION_DIGITS = 16;

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
