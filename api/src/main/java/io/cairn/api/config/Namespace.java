package io.cairn.api.config;

import org.jspecify.annotations.Nullable;

/**
 * An isolated space of configurations and services. All names of the default one on the wire (absent, {@code ""}, {@code public}) are {@link #DEFAULT}.
 */
public record Namespace(String id) {

    public static final Namespace DEFAULT = new Namespace("public");

    public Namespace {
        if (id.isBlank()) {
            throw new IllegalArgumentException(
                    "namespace: '" + id + "' (expected: not blank; the default namespace is 'public')");
        }
    }

    // Written out for the reason given at ServiceKey.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof Namespace namespace && id.equals(namespace.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Returns the default namespace for null, a blank text and {@code public}. */
    public static Namespace ofNullable(@Nullable String alias) {
        if (alias == null || alias.isBlank() || alias.equals(DEFAULT.id)) {
            return DEFAULT;
        }
        return new Namespace(alias);
    }

    public boolean isDefault() {
        return id.equals(DEFAULT.id);
    }

    @Override
    public String toString() {
        return id;
    }
}
