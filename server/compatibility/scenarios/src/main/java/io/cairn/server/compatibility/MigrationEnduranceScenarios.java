package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.process.CairnProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * All applications move from a Nacos to Cairn and back, one after the other, while clients of both sides call. The bridge is
 * killed; servers hang.
 */
@Tag("endurance")
public abstract class MigrationEnduranceScenarios {

    private static final int SERVICES = Integer.getInteger("cairn.test.migration.services", 500);
    private static final int CONFIGS = Integer.getInteger("cairn.test.migration.configs", 2_000);
    private static final int OUTAGE_SECONDS = Integer.getInteger("cairn.test.migration.outage", 60);
    private static final int PARTS = 5;
    private static final int WATCHED = 10;
    private static final int CALLERS = 2;
    private static final Duration PAUSE = Duration.ofMillis(10L * CALLERS);

    private static final int CALLS_A_SECOND = 100;
    private static final Duration PUBLISH_PAUSE = Duration.ofSeconds(1);
    private static final int MOVES_TO_A_KILL = 3;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final Map<String, String> newest = new ConcurrentHashMap<>();
    private final List<SteadyCalls> callers = new ArrayList<>();
    private int kills;

    private interface Step {
        void run() throws Exception;
    }

    private interface Interruption {
        void run(MigrationBridge bridge) throws Exception;
    }

    void moveThereAndBack(NacosProcess.Release release) throws Exception {
        try (NacosProcess nacos = NacosProcess.start(release, folder.resolve("nacos"), false);
                CairnProcess cairn =
                        CairnProcess.builder().home(folder.resolve("cairn")).start();
                MigrationSide atNacos = new MigrationSide("Nacos", nacos.address());
                MigrationSide atCairn = new MigrationSide("Cairn", cairn.serverAddress());
                MovingFleet fleet = new MovingFleet(SERVICES, PARTS)) {
            long begin = System.nanoTime();
            for (int i = 0; i < CONFIGS; i++) {
                String dataId = dataId(i);
                await().ignoreExceptions().until(() -> atNacos.publish(dataId, "version 0"));
            }
            for (MovingFleet.Application application : fleet.applications()) {
                fleet.move(application, atNacos, atNacos);
            }
            say(release, "prepared", begin);
            try {
                moveAll(
                        release,
                        fleet,
                        atNacos,
                        atCairn,
                        List.of(
                                bridge -> restart(atNacos, fleet, nacos::restart),
                                bridge -> restart(atCairn, fleet, cairn::restart)));
                moveAll(
                        release,
                        fleet,
                        atCairn,
                        atNacos,
                        List.of(
                                bridge -> hang(atNacos, atCairn, fleet, bridge, nacos::pause, nacos::resume),
                                bridge -> hang(
                                        atCairn,
                                        atNacos,
                                        fleet,
                                        bridge,
                                        () -> Signals.send("STOP", cairn.pid()),
                                        () -> Signals.send("CONT", cairn.pid()))));
            } finally {
                callers.forEach(SteadyCalls::close);
            }
            assertThat(kills).isGreaterThanOrEqualTo(10);
        }
    }

    private static String dataId(int number) {
        return "c-" + number;
    }

    private void moveAll(
            NacosProcess.Release release,
            MovingFleet fleet,
            MigrationSide from,
            MigrationSide to,
            List<Interruption> interruptions)
            throws Exception {
        long begin = System.nanoTime();
        Path journals = Files.createDirectory(folder.resolve("from-" + from.name()));
        try (MigrationBridge bridge =
                MigrationBridge.follow(journals, from.address(), to.address(), "--conflicts", "newest")) {
            for (int i = 0; i < CONFIGS; i++) {
                String dataId = dataId(i);
                await().atMost(START).ignoreExceptions().until(() -> to.read(dataId)
                        .startsWith("version"));
            }
            fleet.awaitComplete(to);
            say(release, "carried from " + from.name(), begin);
            call(fleet, from, to);
            List<MovingFleet.Application> applications = fleet.applications();
            for (int i = 0; i < applications.size(); i++) {
                fleet.move(applications.get(i), to, from, to);
                assertThat(bridge.isAlive()).as(bridge.output()).isTrue();
                if (i % MOVES_TO_A_KILL == 0) {
                    bridge.killAndStart();
                    kills++;
                }
                if (i == 4 || i == 10) {
                    interruptions.get(i == 4 ? 0 : 1).run(bridge);
                }
                if (i == 7 && keepsPatchedCopies(release, to)) {
                    provokeALoop(fleet, from, to);
                }
            }
            say(release, "moved from " + from.name(), begin);
            endCalls(from, to);
            assertThat(bridge.cutOver(START)).as(bridge.output()).isZero();
            for (MigrationSide side : List.of(from, to)) {
                MigrationServer server = new MigrationServer(side.address());
                for (int service = 0; service < SERVICES; service++) {
                    String name = "load-" + service;
                    await().until(() -> !server.showsCopy(name));
                }
                await().until(() -> !server.knowsABridge());
            }
            fleet.awaitComplete(to);
            say(release, "cut over from " + from.name(), begin);
        }
    }

    private static boolean keepsPatchedCopies(NacosProcess.Release release, MigrationSide side) {
        return side.name().equals("Cairn") || release != NacosProcess.Release.NACOS_1_3;
    }

    private static void say(NacosProcess.Release release, String what, long since) {
        System.out.println(release + ": " + what + " after "
                + Duration.ofNanos(System.nanoTime() - since).toSeconds() + " s");
    }

    private void call(MovingFleet fleet, MigrationSide from, MigrationSide to) throws Exception {
        for (MigrationSide side : List.of(from, to)) {
            for (int i = 0; i < WATCHED; i++) {
                side.listen(dataId(i));
            }
            for (int i = 0; i < CALLERS; i++) {
                callers.add(new SteadyCalls(new Calls(side, fleet), Set.of(), PAUSE));
            }
        }
        callers.add(new SteadyCalls(new Publishes(from, to, newest, new AtomicInteger()), Set.of(), PUBLISH_PAUSE));
    }

    private void endCalls(MigrationSide from, MigrationSide to) throws InterruptedException {
        int calls = 0;
        for (SteadyCalls caller : callers) {
            caller.finish();
            assertThat(caller.violations()).isEmpty();
            calls += caller.calls();
        }
        System.out.println(calls + " calls, none failed");
        callers.clear();
        newest.forEach((dataId, content) ->
                await().atMost(START).until(() -> from.hasNow(dataId, content) && to.hasNow(dataId, content)));
        newest.clear();
    }

    private static void restart(MigrationSide side, MovingFleet fleet, Step restart) throws Exception {
        side.away(true);
        restart.run();
        fleet.awaitComplete(side);
        side.away(false);
    }

    private void hang(
            MigrationSide side, MigrationSide other, MovingFleet fleet, MigrationBridge bridge, Step pause, Step resume)
            throws Exception {
        side.away(true);
        pause.run();
        bridge.killAndStart();
        kills++;
        AtomicInteger lists = new AtomicInteger();
        try (SteadyCalls counted = new SteadyCalls(new Counted(other, fleet, lists), Set.of(), PAUSE)) {
            await().atMost(START).until(() -> lists.get() >= OUTAGE_SECONDS * CALLS_A_SECOND / CALLERS);
            assertThat(counted.violations()).isEmpty();
        } finally {
            resume.run();
        }
        fleet.awaitComplete(side);
        side.away(false);
    }

    /** Removes the mark of origin from a copy at one side. The next move proves that the bridge has compared since. */
    private static void provokeALoop(MovingFleet fleet, MigrationSide from, MigrationSide to) throws Exception {
        MovingFleet.Application last =
                fleet.applications().get(fleet.applications().size() - 1);
        String service = "load-" + last.part();
        new MigrationServer(to.address())
                .patch(service, MovingFleet.ip(last.part()), last.port(), "{\"owner\":\"operator\"}");
        fleet.move(fleet.applications().get(0), to, from, to);
        assertThat(new MigrationServer(from.address()).instances(service).split("\"port\":" + last.port() + ",", -1))
                .as("a loop at %s", from.name())
                .hasSize(2);
    }

    private record Calls(MigrationSide side, MovingFleet fleet) implements CallingConsumer {

        @Override
        public void call() throws Exception {
            if (side.isAway()) {
                return;
            }
            try {
                fleet.check(side);
                assertThat(side.read(dataId(WATCHED))).startsWith("version");
            } catch (Exception | AssertionError e) {
                if (!side.isAway()) {
                    throw e;
                }
            }
        }

        @Override
        public Set<Integer> listed() {
            return Set.of();
        }
    }

    private record Counted(MigrationSide side, MovingFleet fleet, AtomicInteger lists) implements CallingConsumer {

        @Override
        public void call() throws Exception {
            fleet.check(side);
            lists.incrementAndGet();
        }

        @Override
        public Set<Integer> listed() {
            return Set.of();
        }
    }

    private record Publishes(
            MigrationSide first, MigrationSide second, Map<String, String> newest, AtomicInteger version)
            implements CallingConsumer {

        @Override
        public void call() throws Exception {
            int number = version.incrementAndGet();
            String dataId = dataId(number % WATCHED);
            String content = "version " + number;
            boolean isFirst = number % 2 == 0 ? !first.isAway() : second.isAway();
            MigrationSide side = isFirst ? first : second;
            try {
                assertThat(side.publish(dataId, content)).as("published").isTrue();
                newest.put(dataId, content);
            } catch (Exception | AssertionError e) {
                if (!side.isAway()) {
                    throw e;
                }
            }
        }

        @Override
        public Set<Integer> listed() {
            return Set.of();
        }
    }
}
