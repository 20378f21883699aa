package io.cairn.server.testing;

import io.cairn.server.limit.Limit;
import io.cairn.server.limit.ServerLimits;
import java.util.Collections;

/** Limits of a server that are all the same one. */
public final class EqualLimits {

    private EqualLimits() {}

    /** As many as there are. */
    public static ServerLimits of(Limit limit) {
        try {
            var constructor = ServerLimits.class.getDeclaredConstructors()[0];
            return (ServerLimits) constructor.newInstance(
                    Collections.nCopies(constructor.getParameterCount(), limit).toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
