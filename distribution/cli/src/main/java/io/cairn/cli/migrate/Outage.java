package io.cairn.cli.migrate;

import java.time.Duration;
import java.util.function.Consumer;

/** Reports once that a server is away, and once that it is back. For one thread. */
public final class Outage {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final String what;
    private final Consumer<String> notices;
    private Duration pause = FIRST_PAUSE;
    private boolean begun;

    public Outage(String what, Consumer<String> notices) {
        this.what = what;
        this.notices = notices;
    }

    public Duration failed(SideException failure) {
        if (!begun) {
            begun = true;
            notices.accept(what + " wait, nothing is changed until both servers answer: " + failure.getMessage());
        }
        Duration now = pause;
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        return now;
    }

    public void over() {
        if (begun) {
            notices.accept(what + " go on: both servers answer");
        }
        begun = false;
        pause = FIRST_PAUSE;
    }

    public boolean isOn() {
        return begun;
    }
}
