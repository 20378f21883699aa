package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** A configuration exceeds a quota or size limit. */
public final class CapacityException extends CairnException {

    /** The exceeded limit, with Nacos's words. */
    public enum Limit {
        CLUSTER_QUOTA("cluster capacity reach quota"),
        GROUP_QUOTA("group capacity reach quota"),
        NAMESPACE_QUOTA("tenant capacity reach quota"),
        SIZE("config content size is over limit");

        private final String words;

        Limit(String words) {
            this.words = words;
        }
    }

    private final Limit limit;

    /** @param allowed configurations, or bytes */
    public CapacityException(Limit limit, CapacityScope scope, long allowed) {
        super(ErrorCode.LIMIT_EXCEEDED, limit.words + where(scope) + " (limit: " + allowed + ")");
        this.limit = limit;
    }

    private static String where(CapacityScope scope) {
        return switch (scope.kind()) {
            case CLUSTER -> "";
            case GROUP -> ", group: " + scope.name();
            case NAMESPACE -> ", namespace: " + scope.name();
        };
    }

    public Limit limit() {
        return limit;
    }
}
