package io.cairn.server.subscription;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Finds configurations with outdated listeners. */
public final class ListenerFindings implements FindingSource {

    /** The age from which a missing change counts as missed, in production. */
    public static final Duration ON_ITS_WAY = Duration.ofSeconds(10);

    private static final int MOST_LISTENERS = 200_000;
    private static final int MOST_CONFIGURATIONS = 20;

    private final ConfigListeners listeners;
    private final Duration onItsWay;
    private final Clock clock;

    /** @param onItsWay the age from which a missing change counts as missed */
    public ListenerFindings(ConfigListeners listeners, Duration onItsWay, Clock clock) {
        this.listeners = listeners;
        this.onItsWay = onItsWay;
        this.clock = clock;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        return listeners.behind(namespace, clock.millis() - onItsWay.toMillis(), MOST_LISTENERS).stream()
                .limit(MOST_CONFIGURATIONS)
                .map(behind -> new Finding(
                        Finding.Kind.LISTENERS_BEHIND,
                        false,
                        behind.key().dataId(),
                        behind.key().group(),
                        "",
                        behind.late(),
                        behind.all()))
                .toList();
    }
}
