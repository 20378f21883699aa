package io.cairn.api.config;

import org.jspecify.annotations.Nullable;

/**
 * An isolated space of configurations and services. The default namespace has several spellings on the wire (absent,
 * {@code ""} and {@code public}); all of them are {@link #DEFAULT} here. Immutable and thread-safe.
 *
 * @param id the identifier, {@code public} for the default namespace
 */
public record Namespace(String id) {

    /** The namespace that exists without being created. */
    public static final Namespace DEFAULT = new Namespace("public");

    public Namespace {
        if (id.isBlank()) {
            throw new IllegalArgumentException(
                    "namespace: '" + id + "' (expected: not blank; the default namespace is 'public')");
        }
    }

    /** The namespace of that spelling, the default one for null, blank and {@code public}. */
    public static Namespace ofNullable(@Nullable String spelling) {
        if (spelling == null || spelling.isBlank() || spelling.equals(DEFAULT.id)) {
            return DEFAULT;
        }
        return new Namespace(spelling);
    }

    public boolean isDefault() {
        return id.equals(DEFAULT.id);
    }

    @Override
    public String toString() {
        return id;
    }
}
