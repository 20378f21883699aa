package io.cairn.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.bare.BareServer;
import io.cairn.benchmark.bare.JavaControlPlane;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scenario of the mesh on two servers in turn, the second one with java-control-plane. */
@Tag("full")
class XdsBesideIT {

    private static final String OWN_PID = Long.toString(ProcessHandle.current().pid());

    @Test
    void measuresBothServersAndTheirRatio() throws IOException {
        inTurn(List.of());
    }

    @Test
    void measuresBothServersWithTheDeltaProtocol() throws IOException {
        inTurn(List.of("--delta"));
    }

    private static void inTurn(List<String> protocol) throws IOException {
        try (BareServer first = BareServer.start(0, 1);
                BareServer second = JavaControlPlane.start(0, 1)) {
            List<String> arguments = List.of(
                    "xds",
                    "--streams=15",
                    "--services=20",
                    "--endpoints=3",
                    "--idle=0.1",
                    "--changes=2",
                    "--pause-ms=10",
                    "--burst=30",
                    "--settle=0.1",
                    "--pid=" + OWN_PID,
                    "--beside=127.0.0.1:" + second.httpPort() + '=' + OWN_PID);
            Run run = Run.against(
                    first.httpPort(),
                    Stream.concat(arguments.stream(), protocol.stream()).toArray(String[]::new));
            assertThat(run.exitCode()).as(run.text()).isZero();
            for (String server : List.of("", "beside_1_")) {
                assertThat(run.figure(server + "streams")).isEqualTo(15);
                assertThat(run.figure(server + "storm_messages_per_stream")).isGreaterThanOrEqualTo(3);
                assertThat(run.figure(server + "change_messages_per_stream")).isEqualTo(1);
                assertThat(run.figure(server + "streams_with_a_wrong_final_state"))
                        .isZero();
            }
            double ratio = run.figure("storm_server_cpu_seconds") / run.figure("beside_1_storm_server_cpu_seconds");
            assertThat(run.figure("beside_1_storm_server_cpu_ratio")).isBetween(ratio * 0.5, ratio * 2);
            assertThat(run.figure("beside_1_second_storm_server_cpu_ratio")).isPositive();
        }
    }
}
