package io.cairn.server.xds;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the types that a client asks for and that are not served, each once. Used on the event loop of the stream. */
final class UnknownTypes {

    private static final int MAX_NOTED = 16;

    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);

    private final Set<String> noted = new HashSet<>(2);

    private UnknownTypes() {}

    /** @return those of the stream, which has none before the first one */
    static UnknownTypes note(@Nullable UnknownTypes before, String typeUrl, @Nullable XdsNode node) {
        UnknownTypes types = before == null ? new UnknownTypes() : before;
        String shown = ClientText.shown(typeUrl);
        if (types.noted.size() < MAX_NOTED && types.noted.add(shown)) {
            log.info("{} asks for resources of the type '{}', which is not served; it gets none", node, shown);
        }
        return types;
    }
}
