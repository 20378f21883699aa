package io.cairn.server.node;

import org.jspecify.annotations.Nullable;

/**
 * The state of a node's copy of the entries that another node owns.
 *
 * @param owner the address of the other node
 * @param entries publications and checks of the owner that this node has
 * @param behind changes of the owner that this node does not have yet
 * @param behindMillis for how long this node has lacked changes; 0 if it has all
 * @param digestsEqual whether both had the same entries when they were last compared; null before the first comparison
 * @param clockOffsetMillis how far the clock of the owner's machine is ahead of this node's; null while it is not known
 */
public record CopyStatus(
        String owner,
        long entries,
        long behind,
        long behindMillis,
        @Nullable Boolean digestsEqual,
        @Nullable Long clockOffsetMillis) {}
