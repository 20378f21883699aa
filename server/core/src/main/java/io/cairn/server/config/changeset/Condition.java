package io.cairn.server.config.changeset;

import io.cairn.api.config.ContentDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The condition of an edit on the stored content. */
public final class Condition {

    /** Always met. */
    public static final Condition NONE = new Condition(Kind.NONE, null);
    /** Met without a stored content. */
    public static final Condition ABSENT = new Condition(Kind.ABSENT, null);

    /** As {@link #ABSENT}; an equal stored content stays, without a conflict. */
    public static final Condition ABSENT_OR_SAME = new Condition(Kind.ABSENT_OR_SAME, null);

    private enum Kind {
        NONE,
        ABSENT,
        ABSENT_OR_SAME,
        DIGEST
    }

    private final Kind kind;
    private final @Nullable String md5;

    private Condition(Kind kind, @Nullable String md5) {
        this.kind = kind;
        this.md5 = md5;
    }

    /** Met by a stored content with that md5; never for another text. */
    public static Condition digest(String md5) {
        return new Condition(Kind.DIGEST, md5);
    }

    /** @param stored the stored digest, if any */
    public boolean isMet(Optional<ContentDigest> stored) {
        return switch (kind) {
            case NONE -> true;
            case ABSENT, ABSENT_OR_SAME -> stored.isEmpty();
            case DIGEST -> stored.isPresent() && stored.get().matches(md5);
        };
    }

    @Override
    public String toString() {
        return kind == Kind.DIGEST ? "md5 " + md5 : kind.name();
    }
}
