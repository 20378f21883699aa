package io.cairn.cli.migrate;

import java.time.Duration;

/** The pauses of a bridge: {@code deep} between comparisons of attributes, {@code hold} for an empty service, {@code holdAll} for an empty source and after an outage. */
public record Follow(Duration list, Duration deep, Duration poll, Duration hold, Duration holdAll) {

    public static Follow every(Duration list) {
        return new Follow(
                list, Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofMinutes(5));
    }
}
