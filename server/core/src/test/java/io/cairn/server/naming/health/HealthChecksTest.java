package io.cairn.server.naming.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.metrics.MeterNames;
import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HealthChecksTest {

    private static final ProbeResult PASSED = ProbeResult.passed("well");
    private static final ProbeResult FAILED = ProbeResult.failed("no answer");
    private static final ProbeResult DOWN = ProbeResult.down("refused");
    private static final ProbeResult UNKNOWN = ProbeResult.unknown("no socket");
    private static final HealthCheck.Mysql QUERY = new HealthCheck.Mysql("u", "p", "select 1");
    private static final Duration ROUND = Duration.ofSeconds(7);

    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final FakeProbe probe = new FakeProbe();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicInteger closes = new AtomicInteger();
    private final TestSubject subject = new TestSubject();
    private HealthCheckSettings settings = HealthCheckSettings.defaults();
    private long chance;

    private final HealthChecks checks = checks(64);

    private HealthChecks checks(int maxUnderWay) {
        return new HealthChecks(
                probe,
                closes::incrementAndGet,
                timer,
                () -> settings,
                meters,
                bound -> Math.min(chance, bound - 1),
                timer::nanoTime,
                maxUnderWay);
    }

    /** Returns results that the test sets, at once or on its command. */
    private static final class FakeProbe implements Probe {

        private final List<String> asked = new ArrayList<>();
        private final Queue<CompletableFuture<ProbeResult>> open = new ArrayDeque<>();
        private ProbeResult atOnce;

        @Override
        public CompletionStage<ProbeResult> check(String host, int port, HealthCheck check) {
            asked.add(host + ':' + port + ' ' + check.type());
            CompletableFuture<ProbeResult> result = new CompletableFuture<>();
            if (atOnce != null) {
                result.complete(atOnce);
            } else {
                open.add(result);
            }
            return result;
        }

        void answer(ProbeResult result) {
            open.remove().complete(result);
        }
    }

    /** Rounds with these results, one after the other. */
    private void rounds(ProbeResult... results) throws Exception {
        for (ProbeResult result : results) {
            probe.atOnce = result;
            timer.passToNext();
        }
    }

    @Test
    void failuresInARowFlip() throws Exception {
        checks.watch(subject);

        rounds(FAILED, FAILED);
        assertThat(subject.reports).isEmpty();
        rounds(FAILED);

        assertThat(subject.reports).containsExactly("false TCP: no answer");
    }

    @Test
    void successBetweenFailuresResetsTheCount() throws Exception {
        checks.watch(subject);

        rounds(FAILED, FAILED, PASSED, FAILED, FAILED);
        assertThat(subject.reports).isEmpty();
        rounds(FAILED);

        assertThat(subject.reports).hasSize(1);
    }

    @Test
    void successesInARowFlipBack() throws Exception {
        subject.healthy = false;
        checks.watch(subject);

        rounds(PASSED, PASSED, FAILED, PASSED, PASSED);
        assertThat(subject.reports).isEmpty();
        rounds(PASSED);

        assertThat(subject.reports).containsExactly("true TCP: well");
    }

    @Test
    void aRefusalFlipsAtOnceAndIsReportedOnce() throws Exception {
        checks.watch(subject);

        rounds(DOWN, DOWN, FAILED, FAILED, FAILED, FAILED);

        assertThat(subject.reports).containsExactly("false TCP: refused");
    }

    @Test
    void unknownResultChangesNoCount() throws Exception {
        checks.watch(subject);

        rounds(FAILED, FAILED, UNKNOWN, UNKNOWN, UNKNOWN);
        assertThat(subject.reports).isEmpty();
        rounds(FAILED);

        assertThat(subject.reports).hasSize(1);
    }

    @Test
    void ignoredReportIsRepeated() throws Exception {
        TestSubject deaf = new TestSubject() {
            @Override
            public void report(boolean healthy, String reason) {
                reports.add(reason);
            }
        };
        checks.watch(deaf);

        rounds(FAILED, FAILED, FAILED, FAILED, FAILED);
        assertThat(deaf.reports).hasSize(1);
        rounds(FAILED);

        assertThat(deaf.reports).hasSize(2);
    }

    @Test
    void theNumberOfResultsIsThatOfTheSettingsAtTheTime() throws Exception {
        checks.watch(subject);
        rounds(FAILED);
        settings = withCheckTimes(2);

        rounds(FAILED);

        assertThat(subject.reports).hasSize(1);
    }

    @Test
    void anotherCheckResetsTheCount() throws Exception {
        checks.watch(subject);
        rounds(FAILED, FAILED);
        subject.check = new HealthCheck.Http("/health", "", 200);
        subject.host = "10.0.0.2";
        subject.port = 9090;

        rounds(FAILED, FAILED);
        assertThat(subject.reports).isEmpty();
        rounds(FAILED);

        assertThat(subject.reports).containsExactly("false HTTP: no answer");
        assertThat(probe.asked).contains("10.0.0.1:8080 TCP", "10.0.0.2:9090 HTTP");
    }

    @Test
    void resultOfAFormerCheckIsIgnored() throws Exception {
        checks.watch(subject);
        timer.passToNext();

        subject.check = HealthCheck.NONE;
        probe.answer(DOWN);

        assertThat(subject.reports).isEmpty();
        assertThat(timer.waits()).hasSize(1);
    }

    @Test
    void theFirstCheckComesAfterTwoToSevenSeconds() {
        for (long nanos : new long[] {0, 1_500_000_000L, Long.MAX_VALUE}) {
            chance = nanos;
            checks.watch(new TestSubject());
        }

        assertThat(timer.waits())
                .containsExactly(Duration.ofSeconds(2), Duration.ofMillis(3_500), Duration.ofSeconds(7));
    }

    @Test
    void theFirstChecksOfManyAreSpread() {
        try (HealthChecks spread = new HealthChecks(
                probe,
                closes::incrementAndGet,
                timer,
                () -> settings,
                meters,
                bound -> ThreadLocalRandom.current().nextLong(bound),
                timer::nanoTime,
                64)) {
            IntStream.range(0, 1_000).forEach(i -> spread.watch(new TestSubject()));

            assertThat(timer.waits()).allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(2), ROUND));
            for (int second = 2; second < 7; second++) {
                Duration from = Duration.ofSeconds(second);
                assertThat(timer.waits().stream()
                                .filter(wait -> wait.compareTo(from) >= 0 && wait.compareTo(from.plusSeconds(1)) < 0)
                                .count())
                        .as("in second %s", second)
                        .isBetween(100L, 300L);
            }
        }
    }

    @Test
    void intervalOfAFastTargetShrinksToTheMinimum() throws Exception {
        chance = Duration.ofSeconds(2).toNanos(); // 4 s
        checks.watch(subject);
        rounds(PASSED);

        List<Duration> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waits.add(timer.passToNext());
        }

        assertThat(waits.get(0)).isEqualTo(Duration.ofSeconds(3)); // 0.75 * 4 s + 0.25 * 0 s
        assertThat(waits.get(1)).isEqualTo(Duration.ofMillis(2_250));
        assertThat(waits).last().isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void theResponseTimeCountsIntoTheInterval() throws Exception {
        chance = 0; // 2 s
        checks.watch(subject);
        timer.passToNext();
        timer.pass(Duration.ofMillis(400));
        probe.answer(PASSED);

        assertThat(timer.waits()).containsExactly(Duration.ofMillis(1_600)); // 0.75 * 2 s + 0.25 * 0.4 s
    }

    @Test
    void intervalOfAnUnhealthyTargetGrowsToTheMaximum() throws Exception {
        checks.watch(subject);
        rounds(FAILED);

        assertThat(timer.passToNext()).isEqualTo(Duration.ofMillis(2_500)); // 0.75 * 2 s + 0.25 * 4 s
        rounds(FAILED, FAILED, FAILED, FAILED);
        assertThat(timer.passToNext()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @EnumSource(
            value = HealthCheck.Type.class,
            names = {"HTTP", "MYSQL", "GRPC"})
    void everyTypeHasAnIntervalOfItsOwn(HealthCheck.Type type) throws Exception {
        HealthCheckSettings.Interval odd =
                new HealthCheckSettings.Interval(Duration.ofMinutes(2), Duration.ofMinutes(1), 0.5);
        HealthCheckSettings usual = settings;
        settings = new HealthCheckSettings(
                3,
                true,
                usual.tcp(),
                type == HealthCheck.Type.HTTP ? odd : usual.http(),
                type == HealthCheck.Type.MYSQL ? odd : usual.mysql(),
                type == HealthCheck.Type.GRPC ? odd : usual.grpc());
        subject.check = switch (type) {
            case HTTP -> new HealthCheck.Http("", "", 200);
            case MYSQL -> QUERY;
            default -> new HealthCheck.Grpc("");
        };
        checks.watch(subject);

        rounds(PASSED);

        assertThat(timer.waits()).containsExactly(Duration.ofMinutes(1));
    }

    @Test
    void theIntervalsOfTheFactsApply() {
        assertThat(settings.checkTimes()).isEqualTo(3);
        assertThat(settings.tcp())
                .isEqualTo(new HealthCheckSettings.Interval(Duration.ofSeconds(5), Duration.ofSeconds(1), 0.75));
        assertThat(settings.http())
                .isEqualTo(new HealthCheckSettings.Interval(Duration.ofSeconds(5), Duration.ofMillis(500), 0.85));
        assertThat(settings.mysql())
                .isEqualTo(new HealthCheckSettings.Interval(Duration.ofSeconds(3), Duration.ofSeconds(2), 0.65));
    }

    @Test
    void noMoreProbesThanAllowedAreUnderWayAndTheRestWaitInOrder() throws Exception {
        HealthChecks narrow = checks(2);
        for (int i = 0; i < 5; i++) {
            TestSubject each = new TestSubject();
            each.port = i + 1;
            narrow.watch(each);
        }

        timer.pass(ROUND);
        assertThat(ports()).containsExactly(1, 2);
        probe.answer(PASSED);
        assertThat(ports()).containsExactly(1, 2, 3);
        probe.answer(PASSED);
        probe.answer(FAILED);
        assertThat(ports()).containsExactly(1, 2, 3, 4, 5);
        probe.answer(PASSED);
        probe.answer(PASSED);

        // Each is on the wheel again: nothing got lost on the way.
        assertThat(timer.waits()).hasSize(5);
    }

    @Test
    void databasesThatDoNotAnswerHoldUpNothingButDatabases() throws Exception {
        HealthChecks narrow = checks(2);
        for (int i = 0; i < 200; i++) {
            narrow.watch(database(3306));
        }
        for (int i = 1; i <= 3; i++) {
            TestSubject each = new TestSubject();
            each.port = i;
            narrow.watch(each);
        }

        timer.pass(ROUND);

        assertThat(probe.asked).filteredOn(asked -> asked.endsWith("MYSQL")).hasSize(MysqlProbe.THREADS);
        assertThat(probe.asked).filteredOn(asked -> asked.endsWith("TCP")).hasSize(2);
    }

    @Test
    void silentTargetsOfOtherTypesDoNotDelayDatabases() throws Exception {
        HealthChecks narrow = checks(1);
        narrow.watch(subject);
        narrow.watch(new TestSubject());
        narrow.watch(database(3306));

        timer.pass(ROUND);

        assertThat(probe.asked).containsExactly("10.0.0.1:8080 TCP", "10.0.0.1:3306 MYSQL");
    }

    @Test
    void databasesWaitForEachOtherInOrder() throws Exception {
        for (int i = 1; i <= MysqlProbe.THREADS + 2; i++) {
            checks.watch(database(i));
        }
        timer.pass(ROUND);
        assertThat(ports()).containsExactly(1, 2, 3, 4);

        probe.answer(FAILED);
        assertThat(ports()).containsExactly(1, 2, 3, 4, 5);
        probe.answer(PASSED);
        assertThat(ports()).containsExactly(1, 2, 3, 4, 5, 6);
        for (int i = 0; i < MysqlProbe.THREADS; i++) {
            probe.answer(PASSED);
        }

        assertThat(timer.waits()).hasSize(MysqlProbe.THREADS + 2);
    }

    @Test
    void subjectThatBecomesADatabaseFreesItsPlaceOfTheFormerType() throws Exception {
        HealthChecks narrow = checks(1);
        narrow.watch(subject);
        narrow.watch(new TestSubject());
        timer.pass(ROUND);
        assertThat(probe.asked).hasSize(1);

        subject.check = QUERY;
        probe.answer(PASSED);
        assertThat(probe.asked).containsExactly("10.0.0.1:8080 TCP", "10.0.0.1:8080 TCP");
        timer.pass(ROUND);

        // The second still has no answer, and the first is a database now.
        assertThat(probe.asked).last().isEqualTo("10.0.0.1:8080 MYSQL");
        assertThat(probe.asked).hasSize(3);
    }

    private static TestSubject database(int port) {
        TestSubject database = new TestSubject();
        database.port = port;
        database.check = QUERY;
        return database;
    }

    private List<Integer> ports() {
        return probe.asked.stream()
                .map(asked -> Integer.valueOf(asked.substring(asked.indexOf(':') + 1, asked.indexOf(' '))))
                .toList();
    }

    @Test
    void manyThatAnswerAtOnceDoNotDeepenTheStack() throws Exception {
        HealthChecks narrow = checks(1);
        IntStream.range(0, 20_000).forEach(i -> narrow.watch(new TestSubject()));
        probe.atOnce = null;
        timer.pass(Duration.ofSeconds(2)); // one is under way, all others wait
        probe.atOnce = PASSED;

        probe.answer(PASSED);

        assertThat(probe.asked).hasSize(20_000);
        assertThat(timer.waits()).hasSize(20_000);
    }

    @Test
    void aStoppedSubjectIsNotReportedAndNeverAskedAgain() throws Exception {
        CheckHandle handle = checks.watch(subject);
        timer.pass(ROUND);

        handle.stop();
        handle.stop();
        probe.answer(DOWN);
        timer.pass(ROUND);

        assertThat(subject.reports).isEmpty();
        assertThat(probe.asked).hasSize(1);
        assertThat(timer.waits()).isEmpty();
    }

    @Test
    void aSubjectStoppedBeforeItsFirstCheckLeavesNothingOnTheWheel() {
        checks.watch(subject).stop();

        assertThat(timer.waits()).isEmpty();
    }

    @Test
    void aSubjectStoppedInTheQueueIsPassedOver() throws Exception {
        HealthChecks narrow = checks(1);
        narrow.watch(subject);
        CheckHandle second = narrow.watch(new TestSubject());
        TestSubject third = new TestSubject();
        third.port = 3;
        narrow.watch(third);
        timer.pass(ROUND);

        second.stop();
        probe.answer(PASSED);

        assertThat(ports()).containsExactly(8080, 3);
    }

    @Test
    void aReportMayStopTheWatch() throws Exception {
        CheckHandle[] handle = new CheckHandle[1];
        TestSubject last = new TestSubject() {
            @Override
            public void report(boolean healthy, String reason) {
                super.report(healthy, reason);
                handle[0].stop();
            }
        };
        handle[0] = checks.watch(last);

        rounds(DOWN);

        assertThat(last.reports).hasSize(1);
        assertThat(timer.waits()).isEmpty();
    }

    @Test
    void disabledChecksProbeNothing() throws Exception {
        checks.watch(subject);
        rounds(FAILED, FAILED);
        int before = probe.asked.size();

        settings =
                new HealthCheckSettings(3, false, settings.tcp(), settings.http(), settings.mysql(), settings.grpc());
        timer.pass(Duration.ofMinutes(1));
        assertThat(probe.asked).hasSize(before);
        assertThat(timer.waits()).hasSize(1);

        settings = HealthCheckSettings.defaults();
        rounds(FAILED, FAILED);
        assertThat(subject.reports).isEmpty(); // those before the pause are not in a row with these
        rounds(FAILED);
        assertThat(subject.reports).hasSize(1);
    }

    @Test
    void subjectWithoutACheckIsNotProbedUntilItHasOne() throws Exception {
        subject.check = HealthCheck.NONE;
        checks.watch(subject);
        timer.pass(Duration.ofMinutes(1));
        assertThat(probe.asked).isEmpty();

        subject.check = HealthCheck.TCP;
        probe.atOnce = DOWN;
        timer.pass(Duration.ofSeconds(5));

        assertThat(subject.reports).hasSize(1);
    }

    @Test
    void throwingSubjectDoesNotAffectTheOthers() throws Exception {
        HealthChecks narrow = checks(1);
        narrow.watch(new TestSubject() {
            @Override
            public HealthCheck check() {
                throw new IllegalStateException("a test's defect");
            }
        });
        narrow.watch(new TestSubject() {
            @Override
            public void report(boolean healthy, String reason) {
                throw new IllegalStateException("a test's defect");
            }
        });
        narrow.watch(subject);
        probe.atOnce = DOWN;

        timer.pass(ROUND);

        assertThat(subject.reports).hasSize(1);
        assertThat(timer.waits()).hasSize(3);
    }

    @Test
    void failureOfAProbeGivesAnUnknownResult() throws Exception {
        settings = withCheckTimes(1);
        checks.watch(subject);
        timer.passToNext();

        probe.open.remove().completeExceptionally(new IllegalStateException("a test's defect"));

        assertThat(subject.reports).isEmpty();
        assertThat(timer.waits()).hasSize(1);
    }

    @Test
    void closingEndsEverythingOnce() throws Exception {
        checks.watch(subject);
        checks.watch(new TestSubject());
        timer.passToNext();
        checks.watch(new TestSubject());

        checks.close();
        checks.close();
        probe.answer(DOWN);
        probe.answer(DOWN);
        checks.watch(new TestSubject()).stop();
        timer.pass(ROUND);

        assertThat(closes).hasValue(1);
        assertThat(timer.waits()).isEmpty();
        assertThat(subject.reports).isEmpty();
        assertThat(probe.asked).hasSize(2);
        assertThat(meters.get(MeterNames.HEALTH_CHECKED).gauge().value()).isZero();
    }

    @Test
    void metersCountSubjectsAndOutcomes() throws Exception {
        CheckHandle handle = checks.watch(subject);
        checks.watch(new TestSubject()).stop();
        timer.passToNext();
        timer.pass(Duration.ofMillis(250));
        probe.answer(PASSED);
        rounds(DOWN);

        assertThat(meters.get(MeterNames.HEALTH_CHECKED).gauge().value()).isEqualTo(1);
        assertThat(meters.get(MeterNames.HEALTH_CHECKS)
                        .tags("type", "tcp", "outcome", "passed")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(250);
        assertThat(meters.get(MeterNames.HEALTH_CHECKS)
                        .tags("type", "tcp", "outcome", "down")
                        .timer()
                        .count())
                .isEqualTo(1);
        handle.stop();
        assertThat(meters.get(MeterNames.HEALTH_CHECKED).gauge().value()).isZero();
    }

    private HealthCheckSettings withCheckTimes(int times) {
        return new HealthCheckSettings(times, true, settings.tcp(), settings.http(), settings.mysql(), settings.grpc());
    }
}
