package io.cairn.server.config.changeset;

import io.cairn.api.config.ContentDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The condition on the stored content under which an edit is made. Immutable. */
public final class Condition {

    /** Always met. */
    public static final Condition NONE = new Condition(Kind.NONE, null);
    /** Met if nothing is stored under the key. */
    public static final Condition ABSENT = new Condition(Kind.ABSENT, null);

    private enum Kind {
        NONE,
        ABSENT,
        DIGEST
    }

    private final Kind kind;
    private final @Nullable String md5;

    private Condition(Kind kind, @Nullable String md5) {
        this.kind = kind;
        this.md5 = md5;
    }

    /** Met if a content with that md5 is stored. A text that is not an md5 is never met. */
    public static Condition digest(String md5) {
        return new Condition(Kind.DIGEST, md5);
    }

    /** @param stored the digest of the stored content; empty if there is none */
    public boolean isMet(Optional<ContentDigest> stored) {
        return switch (kind) {
            case NONE -> true;
            case ABSENT -> stored.isEmpty();
            case DIGEST -> stored.isPresent() && stored.get().matches(md5);
        };
    }

    @Override
    public String toString() {
        return kind == Kind.DIGEST ? "md5 " + md5 : kind.name();
    }
}
