package io.cairn.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.bare.BareServer;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scenario of the mesh, for a moment, against the bare server in this process. */
@Tag("full")
class XdsIT extends BareServerTests {

    @Test
    void everyStreamEndsOnTheLastStateAndTheServerIsWeighed() {
        Run run = run(bare, false, "--pid", OWN_PID, "--settle", "0.1");
        endsOnTheLastState(run);
        assertThat(run.figure("storm_server_cpu_seconds")).isPositive();
        assertThat(run.figure("server_rss_peak_kb")).isGreaterThanOrEqualTo(run.figure("server_rss_before_kb"));
        assertThat(run.figure("change_server_cpu_us_per_stream")).isPositive();
        assertThat(run.text()).contains("\"heap_bytes_per_stream\":", "\"heap_bytes_kept_per_closed_stream\":");
    }

    @Test
    void everyStreamOfTheDeltaProtocolEndsOnTheLastState() {
        endsOnTheLastState(run(bare, true, "--settle", "0.1"));
    }

    private static void endsOnTheLastState(Run run) {
        assertThat(run.exitCode()).as(run.text()).isZero();
        // The answers to clusters, endpoints and listeners.
        assertThat(run.figure("storm_messages_per_stream")).isEqualTo(3);
        assertThat(run.figure("second_storm_messages_per_stream")).isEqualTo(3);
        assertThat(run.figure("storm_bytes_per_stream")).isGreaterThan(20 * 3 * 20);
        assertThat(run.figure("idle_messages")).isZero();
        assertThat(run.figure("change_messages_per_stream")).isEqualTo(1);
        assertThat(run.figure("change_bytes_per_stream")).isBetween(50.0, 1_000.0);
        assertThat(run.figure("push_p50_us")).isPositive().isLessThanOrEqualTo(run.figure("last_push_max_us"));
        assertThat(run.figure("burst_messages_per_stream")).isEqualTo(30);
    }

    @Test
    void failsWhenAStreamDoesNotSeeAChange() throws IOException {
        try (BareServer broken = BareServer.start(0, 1)) {
            broken.muteMesh();
            Run run = run(broken, false, "--converge", "0.2", "--settle", "0");
            assertThat(run.exitCode()).isEqualTo(BenchmarkCommand.FAILED);
            assertThat(run.figure("changes_missing")).isEqualTo(2 * 15);
            assertThat(run.figure("streams_with_a_wrong_final_state")).isEqualTo(15);
            assertThat(run.figure("second_streams_with_a_wrong_first_state")).isZero();
        }
    }

    private static Run run(BareServer server, boolean delta, String... more) {
        var arguments = Stream.of(
                List.of("xds", "--streams", "15", "--services", "20", "--endpoints", "3", "--idle", "0.1"),
                List.of("--changes", "2", "--pause-ms", "10", "--burst", "30"),
                delta ? List.of("--delta") : List.<String>of(),
                List.of(more));
        return Run.against(server.httpPort(), arguments.flatMap(List::stream).toArray(String[]::new));
    }
}
