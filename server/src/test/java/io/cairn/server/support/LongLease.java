package io.cairn.server.support;

/** Metadata for an instance over HTTP without heartbeats; by default it would be removed after 30 s, which a busy machine may need. */
public final class LongLease {
    public static final String METADATA =
            "{\"preserved.heart.beat.timeout\":\"600000\",\"preserved.ip.delete.timeout\":\"600000\"}";

    private LongLease() {}

    /** With a further entry. */
    public static String and(String name, String value) {
        return METADATA.replace("}", ",\"" + name + "\":\"" + value + "\"}");
    }
}
