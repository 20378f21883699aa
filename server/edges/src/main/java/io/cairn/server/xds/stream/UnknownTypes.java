package io.cairn.server.xds.stream;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each requested type that is not served, once. For the event loop of the stream. */
final class UnknownTypes {

    private static final int MAX_NOTED = 16;

    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);

    private final Set<String> noted = new HashSet<>(2);

    private UnknownTypes() {}

    static UnknownTypes note(@Nullable UnknownTypes before, String typeUrl, @Nullable XdsNode node) {
        UnknownTypes types = before == null ? new UnknownTypes() : before;
        String shown = ClientText.shown(typeUrl);
        if (types.noted.size() < MAX_NOTED && types.noted.add(shown)) {
            log.info("{} asks for resources of the type '{}', which is not served; it gets none", node, shown);
        }
        return types;
    }
}
