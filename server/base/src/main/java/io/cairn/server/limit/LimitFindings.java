package io.cairn.server.limit;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.util.ArrayList;
import java.util.List;

public final class LimitFindings implements FindingSource {

    private static final double NEAR = 0.8;

    private final ServerLimits limits;

    public LimitFindings(ServerLimits limits) {
        this.limits = limits;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        List<Finding> near = new ArrayList<>();
        for (Limit limit : limits.all()) {
            if (limit != limits.openFiles()) {
                near.addAll(near(limit));
            }
        }
        return near;
    }

    public static List<Finding> near(Limit limit) {
        return limit.max() > 0 && limit.used() >= limit.max() * NEAR
                ? List.of(near(limit, limit.used() >= limit.max(), limit.setting()))
                : List.of();
    }

    public static Finding near(Limit limit, boolean isUrgent, String detail) {
        return new Finding(Finding.Kind.LIMIT_NEAR, isUrgent, limit.name(), "", detail, limit.used(), limit.max());
    }
}
