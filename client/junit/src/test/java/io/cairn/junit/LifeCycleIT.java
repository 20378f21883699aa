package io.cairn.junit;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The state of the JVM after tests have run. */
@Tag("full")
class LifeCycleIT {

    private static final List<String> ADDRESSES = new ArrayList<>();
    private static final List<ClassLoader> CONTEXT_LOADERS = new ArrayList<>();

    @Test
    void leavesNothingBehindAfterTheTests() throws Exception {
        // The first server of a JVM leaves its classes loaded on purpose.
        run(OncePerClass.class);
        Set<String> threads = threads();
        Set<String> properties = new TreeSet<>(System.getProperties().stringPropertyNames());
        Set<String> folders = folders();

        run(OncePerClass.class);

        // A busy machine may delay the end of an interrupted thread.
        long patience = System.nanoTime() + PATIENCE.toNanos();
        while (!threads.containsAll(threads()) && System.nanoTime() < patience) {
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        assertThat(threads()).isSubsetOf(threads);
        assertThat(folders()).isSubsetOf(folders);
        assertThat(System.getProperties().stringPropertyNames()).isSubsetOf(properties);
        assertThat(CONTEXT_LOADERS).allMatch(loader -> loader == LifeCycleIT.class.getClassLoader());
    }

    @Test
    void aPropertySetDuringTheStartOfAServerStaysSet() throws Exception {
        Set<String> set = new HashSet<>();
        AtomicBoolean over = new AtomicBoolean();
        Thread parallel = new Thread(() -> {
            while (!over.get()) {
                String name = "of-a-parallel-test-" + set.size();
                System.setProperty(name, "1");
                set.add(name);
                LockSupport.parkNanos(1_000_000);
            }
        });
        parallel.start();
        try {
            run(OncePerTest.class);
        } finally {
            over.set(true);
            parallel.join();
        }
        Set<String> lost = new TreeSet<>(set);
        lost.removeAll(System.getProperties().stringPropertyNames());
        set.forEach(System::clearProperty);
        assertThat(set).isNotEmpty();
        assertThat(lost).isEmpty();
    }

    @Test
    void aStaticFieldIsOneServerAndAnInstanceFieldOnePerTest() {
        ADDRESSES.clear();
        run(OncePerClass.class);
        assertThat(ADDRESSES).hasSize(2);
        assertThat(Set.copyOf(ADDRESSES)).hasSize(1);

        ADDRESSES.clear();
        run(OncePerTest.class);
        assertThat(ADDRESSES).hasSize(2);
    }

    @Test
    void classesThatShareAFieldShareItsServerUntilTheLastEnds() throws Exception {
        SharedField.begin();

        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .selectors(selectClass(EndsFirst.class), selectClass(EndsLast.class))
                .execute()
                .testEvents()
                .assertStatistics(counts -> counts.started(2).succeeded(2));

        assertThatThrownBy(SharedField.cairn::server).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aNestedClassAddsConfigurationsAndCannotChangeTheSettings() {
        run(WithNested.class);

        assertThat(execute(WithNestedSettings.class).allEvents().failed().stream()
                        .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .orElseThrow()
                                .getMessage()))
                .singleElement()
                .asString()
                .contains("Other", "nacos.core.auth.enabled=true", "expected: {}");
    }

    @Test
    void failedStartFailsTheTestsWithItsErrorText() {
        EngineExecutionResults results = execute(WithABadSetting.class);

        assertThat(results.allEvents().failed().stream()
                        .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .orElseThrow()
                                .getMessage()))
                .singleElement()
                .asString()
                .startsWith("The Cairn server did not start: ")
                .contains("server.port", "70000");
    }

    @Test
    void explainsOutsideOfTestsWhyThereIsNoServer() {
        assertThatThrownBy(() -> new CairnExtension().server())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@RegisterExtension");
    }

    private static void run(Class<?> tests) {
        execute(tests).testEvents().assertStatistics(counts -> counts.started(2).succeeded(2));
    }

    private static EngineExecutionResults execute(Class<?> tests) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(tests))
                .execute();
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> !name.startsWith("HttpClient") && !name.startsWith("Keep-Alive"))
                // The JDK's own threads, which other code may use.
                .filter(name -> !name.startsWith("ForkJoinPool.commonPool"))
                // Netty's own thread, which ends by itself after a second without work.
                .filter(name -> !name.startsWith("globalEventExecutor"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The folders of this process only: other modules may be tested at the same time. */
    private static Set<String> folders() throws IOException {
        String own = "cairn-test-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(own))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Run by the JUnit test kit only. */
    static class OncePerClass {

        @RegisterExtension
        static final CairnExtension cairn = new CairnExtension().config("a", "DEFAULT_GROUP", "1");

        @Test
        void one() {
            note(cairn);
        }

        @Test
        void other() {
            note(cairn);
        }
    }

    /** Run by the JUnit test kit only. */
    static class OncePerTest {

        @RegisterExtension
        final CairnExtension cairn = new CairnExtension().config("a", "DEFAULT_GROUP", "1");

        @Test
        void one() {
            note(cairn);
            cairn.server().publish("a", "DEFAULT_GROUP", "2");
        }

        @Test
        void other() {
            note(cairn);
        }
    }

    /** The field of both classes below, which run at the same time. */
    static class SharedField {

        @RegisterExtension
        static final CairnExtension cairn = new CairnExtension();

        static volatile CountDownLatch bothRun = new CountDownLatch(2);
        static volatile CountDownLatch firstHasEnded = new CountDownLatch(1);

        static void begin() {
            bothRun = new CountDownLatch(2);
            firstHasEnded = new CountDownLatch(1);
        }

        static void await(CountDownLatch latch) throws InterruptedException {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    /** This extension is registered before the field's extension, so it ends after that one. */
    static class ReportsTheEnd implements AfterAllCallback {

        @Override
        public void afterAll(ExtensionContext context) {
            SharedField.firstHasEnded.countDown();
        }
    }

    /** Run by the JUnit test kit only. */
    @ExtendWith(ReportsTheEnd.class)
    @CairnConfig(dataId = "first", content = "1")
    static class EndsFirst extends SharedField {

        @Test
        void runs() throws InterruptedException {
            bothRun.countDown();
            await(bothRun);
            assertThat(cairn.server().config("first", "DEFAULT_GROUP")).contains("1");
        }
    }

    /** Run by the JUnit test kit only. */
    @CairnConfig(dataId = "last", content = "2")
    static class EndsLast extends SharedField {

        @Test
        void goesOnAfterTheOther() throws InterruptedException {
            bothRun.countDown();
            await(bothRun);
            await(firstHasEnded);
            assertThat(cairn.server().config("last", "DEFAULT_GROUP")).contains("2");
        }
    }

    /** Run by the JUnit test kit only. */
    @CairnTest
    @CairnConfig(dataId = "a", content = "1")
    static class WithNested {

        @Test
        void changes(CairnTestServer server) {
            server.publish("a", "DEFAULT_GROUP", "2");
        }

        @Nested
        @CairnConfig(dataId = "b", content = "3")
        class Inner {

            @Test
            void hasItsOwnAndLeavesTheOthers(CairnTestServer server) {
                assertThat(server.config("a", "DEFAULT_GROUP")).contains("2");
                assertThat(server.config("b", "DEFAULT_GROUP")).contains("3");
            }
        }
    }

    /** Run by the JUnit test kit only. */
    @CairnTest
    static class WithNestedSettings {

        @Nested
        @CairnTest(settings = "nacos.core.auth.enabled=true")
        class Other {

            @Test
            void neverRuns() {
                throw new AssertionError("the settings were taken for the same");
            }
        }
    }

    /** Run by the JUnit test kit only. */
    static class WithABadSetting {

        @RegisterExtension
        static final CairnExtension cairn = new CairnExtension().setting("server.port", "70000");

        @Test
        void neverRuns() {
            throw new AssertionError("the server has started");
        }
    }

    private static void note(CairnExtension cairn) {
        assertThat(cairn.server().config("a", "DEFAULT_GROUP")).contains("1");
        ADDRESSES.add(cairn.address());
        CONTEXT_LOADERS.add(Thread.currentThread().getContextClassLoader());
    }
}
