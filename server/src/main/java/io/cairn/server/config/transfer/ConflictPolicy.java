package io.cairn.server.config.transfer;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What to do with a configuration that is there already. */
public enum ConflictPolicy {
    /** It fails, and all after it are left out; what came before it stays. */
    ABORT,
    /** It is left out. */
    SKIP,
    /** It is replaced. */
    OVERWRITE;

    /** The policy of that name, in whatever case; {@link #ABORT} when it is absent or unknown, as Nacos has it. */
    public static ConflictPolicy of(@Nullable String name) {
        if (name == null) {
            return ABORT;
        }
        return switch (name.trim().toUpperCase(Locale.ROOT)) {
            case "SKIP" -> SKIP;
            case "OVERWRITE" -> OVERWRITE;
            default -> ABORT;
        };
    }
}
