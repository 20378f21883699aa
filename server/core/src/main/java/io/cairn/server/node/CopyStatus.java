package io.cairn.server.node;

import org.jspecify.annotations.Nullable;

/**
 * The copy of another node's entries.
 *
 * @param owner address of the other
 * @param entries publications and checks
 * @param behind missing changes
 * @param behindMillis for how long changes are missing
 * @param digestsEqual the last comparison, or null
 * @param clockOffsetMillis the lead of the owner's machine, or null
 */
public record CopyStatus(
        String owner,
        long entries,
        long behind,
        long behindMillis,
        @Nullable Boolean digestsEqual,
        @Nullable Long clockOffsetMillis) {}
