package io.cairn.server.change;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Finds parts of this node that have failed to follow for more than {@link Following#PATIENCE}. */
public final class FollowingFindings implements FindingSource {

    private final List<Follower> followers;
    private final BooleanSupplier isDatabaseAway;
    private final Clock clock;

    /**
     * @param name the subject of its finding
     * @param isUrgent whether clients get old contents, or keep ended rights, meanwhile
     */
    public record Follower(String name, boolean isUrgent, Following following) {}

    /** @param isDatabaseAway whether all fail for that reason, which is its own finding */
    public FollowingFindings(List<Follower> followers, BooleanSupplier isDatabaseAway, Clock clock) {
        this.followers = List.copyOf(followers);
        this.isDatabaseAway = isDatabaseAway;
        this.clock = clock;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        if (isDatabaseAway.getAsBoolean()) {
            return found;
        }
        for (Follower follower : followers) {
            Following.State state = follower.following().state();
            if (state.needsAttention()) {
                found.add(new Finding(
                        Finding.Kind.FOLLOWING_FAILS,
                        follower.isUrgent(),
                        follower.name(),
                        "",
                        state.cause(),
                        0,
                        0,
                        clock.millis() - state.failing().toMillis(),
                        ""));
            }
        }
        return found;
    }
}
