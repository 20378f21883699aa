package io.cairn.cli;

import io.cairn.cli.Failure.Remedy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets a long-running command survive a restart of the server and the end of its login. Reports once that the server has gone, and
 * once that it is back. Blocks; for one thread.
 */
final class Reconnect {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Cairn cairn;
    private final CountDownLatch stop;
    private boolean answered;

    Reconnect(Cairn cairn) {
        this(cairn, new CountDownLatch(1));
    }

    /** @param stop counted down to end the retries */
    Reconnect(Cairn cairn, CountDownLatch stop) {
        this.cairn = cairn;
        this.stop = stop;
    }

    /**
     * Retries until there is an answer, but not before the first one: the address may be wrong.
     *
     * @param question sent anew with each try, so it takes its {@link Api} from the command
     * @throws Failure when no retry can help
     */
    <T> T ask(Supplier<T> question) {
        Outage outage = new Outage();
        boolean stale = false;
        boolean renewed = false;
        while (true) {
            try {
                if (stale) {
                    cairn.logInAgain();
                    stale = false;
                }
                T answer = question.get();
                answered = true;
                outage.end();
                return answer;
            } catch (Failure failure) {
                if (!answered || failure.remedy() == Remedy.NONE) {
                    throw failure;
                }
                if (failure.remedy() == Remedy.LOGIN) {
                    if (renewed || !cairn.canLogInAgain()) {
                        throw failure;
                    }
                    stale = true;
                    renewed = true;
                } else {
                    outage.pause(failure);
                }
            }
        }
    }

    /** From the first failed request to the next answer. */
    private final class Outage {

        private Duration pause = FIRST_PAUSE;
        private long sinceNanos;
        private boolean begun;

        void pause(Failure failure) {
            if (!begun) {
                begun = true;
                sinceNanos = System.nanoTime();
                cairn.notice("lost the server, trying again until it is back: " + failure.getMessage());
            }
            try {
                // Random, so that many waiting commands spread.
                long millis = pause.toMillis();
                if (stop.await(ThreadLocalRandom.current().nextLong(millis / 2, millis + 1), TimeUnit.MILLISECONDS)) {
                    throw failure;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Failure("interrupted", e);
            }
            pause = pause.multipliedBy(2);
            if (pause.compareTo(LONGEST_PAUSE) > 0) {
                pause = LONGEST_PAUSE;
            }
        }

        void end() {
            if (begun) {
                Duration lasted = Duration.ofNanos(System.nanoTime() - sinceNanos);
                cairn.notice("the server is back after " + Math.max(1, lasted.toSeconds()) + " s");
            }
        }
    }
}
