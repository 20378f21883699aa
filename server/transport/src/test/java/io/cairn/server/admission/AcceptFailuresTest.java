package io.cairn.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.server.limit.Limit;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AcceptFailuresTest {

    private static final Instant NOW = Instant.parse("2026-11-26T08:00:00Z");

    private final Logger logger = (Logger) LoggerFactory.getLogger(AcceptFailures.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Limit files = new Limit("open-files", "ulimit -n", 256);
    private final AcceptFailures failures = new AcceptFailures(files, Clock.fixed(NOW, ZoneOffset.UTC));
    private final EmbeddedChannel listening = new EmbeddedChannel(failures);

    @BeforeEach
    void listen() {
        listening.freezeTime();
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        listening.close();
    }

    private void fail(String cause) {
        listening.pipeline().fireExceptionCaught(new IOException(cause));
    }

    private void passes(long seconds) {
        listening.advanceTimeBy(seconds, TimeUnit.SECONDS);
        listening.runScheduledPendingTasks();
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void logsAFailureWithItsRemedyAndPausesAccepting() {
        fail("accept(..) failed: Too many open files");

        assertThat(said())
                .singleElement()
                .asString()
                .contains("are not accepted: accept(..) failed: Too many open files (this process may open 256;")
                .contains("LimitNOFILE")
                .contains("failures since the last such line: 1;");
        assertThat(listening.config().isAutoRead()).isFalse();
        assertThat(failures.last()).isEqualTo(NOW);
        assertThat(files.timesExceeded()).isOne();

        passes(1);
        assertThat(listening.config().isAutoRead()).isTrue();
        // Nothing is passed on, where Netty would log a stack trace.
        listening.checkException();
    }

    @Test
    void moreFailuresAreOneLineAMinuteWithTheirNumber() {
        for (int i = 0; i < 59; i++) {
            fail("Too many open files");
            passes(1);
        }
        assertThat(said()).hasSize(1);

        passes(1);
        assertThat(said()).hasSize(2).last().asString().contains("failures since the last such line: 58;");
        assertThat(files.timesExceeded()).isEqualTo(59);
    }

    @Test
    void logsTheEndOfAFailureAndTheNextFailureAtOnce() {
        fail("Connection aborted");
        assertThat(said().get(0)).contains("are not accepted: Connection aborted; failures");
        passes(60);
        assertThat(said()).hasSize(2).last().isEqualTo("Connections are accepted again");

        fail("Connection aborted");
        assertThat(said()).hasSize(3);
    }
}
