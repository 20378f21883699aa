package io.cairn.server.node;

import org.jspecify.annotations.Nullable;

/**
 * How far a node has what another node owns.
 *
 * @param owner the address of the other node
 * @param entries publications and checks of it that this node has
 * @param behind changes of it that this node does not have yet
 * @param behindMillis for how long this node has not had all of them; 0 when it has
 * @param digestsEqual whether both had the same entries when they were last compared; null before the first time
 * @param clockOffsetMillis how far the clock of its machine is ahead of this node's; null while it is not known
 */
public record CopyStatus(
        String owner,
        long entries,
        long behind,
        long behindMillis,
        @Nullable Boolean digestsEqual,
        @Nullable Long clockOffsetMillis) {}
