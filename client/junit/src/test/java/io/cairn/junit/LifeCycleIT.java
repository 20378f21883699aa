package io.cairn.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** What is left when tests have run. */
class LifeCycleIT {

    private static final List<String> ADDRESSES = new ArrayList<>();
    private static final List<ClassLoader> CONTEXT_LOADERS = new ArrayList<>();

    @Test
    void nothingIsLeftOfAServerWhoseTestsHaveRun() throws Exception {
        // What the first server of a JVM leaves on purpose: its classes.
        run(OncePerClass.class);
        Set<String> threads = threads();
        Set<String> properties = new TreeSet<>(System.getProperties().stringPropertyNames());
        Set<String> folders = folders();

        run(OncePerClass.class);

        assertThat(threads()).isSubsetOf(threads);
        assertThat(folders()).isSubsetOf(folders);
        assertThat(System.getProperties().stringPropertyNames()).isSubsetOf(properties);
        assertThat(CONTEXT_LOADERS).allMatch(loader -> loader == LifeCycleIT.class.getClassLoader());
    }

    @Test
    void aStaticFieldIsOneServerAndAnyOtherAServerATest() {
        ADDRESSES.clear();
        run(OncePerClass.class);
        assertThat(ADDRESSES).hasSize(2);
        assertThat(Set.copyOf(ADDRESSES)).hasSize(1);

        ADDRESSES.clear();
        run(OncePerTest.class);
        assertThat(ADDRESSES).hasSize(2);
    }

    @Test
    void aServerThatDoesNotStartFailsTheTestsInItsOwnWords() {
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
    void outsideOfTestsItSaysWhyThereIsNoServer() {
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
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Those of this process: other modules may be tested at the same time. */
    private static Set<String> folders() throws IOException {
        String own = "cairn-test-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(own))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Run by the kit alone. */
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

    /** Run by the kit alone. */
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

    /** Run by the kit alone. */
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
