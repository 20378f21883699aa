package io.cairn.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class RepeatLimitTest {

    private final LoggerContext logging = new LoggerContext();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final Logger log = logging.getLogger("io.cairn.server.push.Some");

    private void limit(Duration period) {
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                said.add(event.getLevel() + " " + event.getFormattedMessage());
            }
        };
        appender.setContext(logging);
        appender.start();
        logging.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        new RepeatLimit(2, period, timer).install(logging);
    }

    @AfterEach
    void stop() {
        logging.stop();
    }

    @Test
    void logsAProblemSomeTimesAndThenCountsIt() throws Exception {
        limit(Duration.ofSeconds(5));
        for (int i = 1; i <= 5; i++) {
            log.warn("Push to {} failed", i);
        }
        timer.pass(Duration.ofMillis(4_999));
        assertThat(said).containsExactly("WARN Push to 1 failed", "WARN Push to 2 failed");

        timer.pass(Duration.ofMillis(1));
        assertThat(said)
                .containsExactly(
                        "WARN Push to 1 failed",
                        "WARN Push to 2 failed",
                        "WARN 3 similar lines within 5 s: Push to {} failed");
        log.warn("Push to {} failed", 6);
        assertThat(said).endsWith("WARN Push to 6 failed");
    }

    @Test
    void otherProblemsLevelsAndLoggersAreNotTouched() {
        limit(Duration.ofHours(1));
        Logger foreign = logging.getLogger("com.example");
        for (int i = 0; i < 5; i++) {
            log.info("done");
            foreign.error("theirs");
            log.error("a");
            log.error("b");
        }

        assertThat(said.stream().filter("INFO done"::equals)).hasSize(5);
        assertThat(said.stream().filter("ERROR theirs"::equals)).hasSize(5);
        assertThat(said.stream().filter("ERROR a"::equals)).hasSize(2);
        assertThat(said.stream().filter("ERROR b"::equals)).hasSize(2);
    }

    @Test
    void doesNotLimitAfterItIsClosed() {
        limit(Duration.ofHours(1));
        logging.getTurboFilterList().forEach(filter -> ((RepeatLimit) filter).close());

        for (int i = 0; i < 5; i++) {
            log.warn("again");
        }

        assertThat(said).hasSize(5);
    }
}
