package io.cairn.benchmark;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "all",
        description = "Runs all scenarios of the report in turn: those of the published report on Nacos 2.0's "
                + "configs, and those of its registry. --baseline adds the bare server's figures.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class AllCommand implements Callable<Integer> {
    private static final List<String> SHOWN = List.of(
            "operations_per_second",
            "latency_p50_us",
            "latency_p95_us",
            "latency_p99_us",
            "server_cpu_us_per_op",
            "server_rss_kb",
            "heap_bytes");
    private static final String ROW = "%-16s %12s %10s %10s %10s %10s %12s %10s%n";

    @Mixin
    RunOptions options = new RunOptions();

    @Option(
            names = "--scale",
            description = "of connections, services and configs; 1 as in the report " + "(default: ${DEFAULT-VALUE})")
    double scale = 1;

    @Option(names = "--only", split = ",", description = "names of scenarios, separated by commas; all if not given")
    List<String> only = List.of();

    @Spec
    @Nullable
    CommandSpec spec;

    /** One run of a command. */
    private record Scenario(String name, String... arguments) {}

    private List<Scenario> scenarios() {
        String pause = Double.toString(Math.min(2, options.seconds));
        return List.of(
                new Scenario("publish", "grpc-publish", "--connections", "8", "--in-flight", "32"),
                new Scenario("publish-rate", "grpc-publish", "--rate", "1000"),
                new Scenario("get", "grpc-read", "--configs", "200", "--in-flight", "32"),
                new Scenario("get-rate", "grpc-read", "--configs", "200", "--rate", "10000"),
                new Scenario("get-http", "http-read", "--configs", "200", "--connections", "16"),
                new Scenario(
                        "listen", "push", "--subscribers", "1", "--configs", "200", "--size", "5120", "--rate", "500"),
                new Scenario("capacity", "connections", "--count", scaled(4000), "--listens", "200", "--settle", pause),
                new Scenario("register", "grpc-register", "--services", scaled(1000)),
                new Scenario("register-rate", "grpc-register", "--services", scaled(1000), "--rate", "5000"),
                new Scenario("list", "http-list", "--services", "100", "--instances", "10"),
                new Scenario("list-rate", "http-list", "--services", "100", "--instances", "10", "--rate", "5000"),
                new Scenario(
                        "subscribe-push",
                        "service-push",
                        "--subscribers",
                        scaled(1000),
                        "--pause-ms",
                        "20",
                        "--idle",
                        pause),
                new Scenario(
                        "churn",
                        "service-churn",
                        "--services",
                        scaled(1000),
                        "--subscriptions",
                        scaled(50),
                        "--idle",
                        pause),
                new Scenario("services", "service-capacity", "--services", scaled(10_000)),
                new Scenario("search", "config-search", "--configs", scaled(100_000)),
                xds("xds", pause),
                xds("xds-delta", pause, "--delta"));
    }

    private Scenario xds(String name, String pause, String... more) {
        Stream<String> arguments = Stream.of(
                "xds",
                "--streams",
                scaled(1600),
                "--services",
                scaled(200),
                "--idle",
                pause,
                "--settle",
                pause,
                "--pause-ms",
                Long.toString(Math.min(500, (long) (options.seconds * 100))));
        return new Scenario(name, Stream.concat(arguments, Stream.of(more)).toArray(String[]::new));
    }

    private String scaled(int size) {
        return Long.toString(Math.max(20, Math.round(size * scale)));
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        Limits.within("--scale", scale, 0.001, 10);
        CommandSpec self = spec;
        if (self == null) {
            throw new IllegalStateException("not run by picocli");
        }
        List<Scenario> wanted = scenarios().stream()
                .filter(scenario -> only.isEmpty() || only.contains(scenario.name))
                .toList();
        PrintWriter out = self.commandLine().getOut();
        if (!options.json) {
            out.printf(
                    ROW, "scenario", "a second", "p50 us", "p95 us", "p99 us", "CPU us", "resident KB", "heap bytes");
        }
        var objects = new ArrayList<String>();
        boolean failed = wanted.isEmpty();
        for (Scenario scenario : wanted) {
            Report report = run(scenario);
            failed |= report.failed();
            objects.add(report.json());
            if (!options.json) {
                print(out, scenario.name, report, "");
                if (options.baseline) {
                    print(out, "  bare server", report, "bare_");
                }
                report.reasons().forEach(reason -> out.println("  failed: " + reason));
            }
            out.flush();
        }
        String json = "[" + String.join(",\n", objects) + "]\n";
        if (options.json) {
            out.print(json);
            out.flush();
        }
        if (options.jsonFile != null) {
            Files.writeString(options.jsonFile, json);
        }
        return failed ? BenchmarkCommand.FAILED : BenchmarkCommand.OK;
    }

    private Report run(Scenario scenario) throws Exception {
        CommandLine commandLine = Benchmark.commandLine();
        commandLine.parseArgs(scenario.arguments);
        BenchmarkCommand command =
                commandLine.getParseResult().subcommand().commandSpec().userObject() instanceof BenchmarkCommand known
                        ? known
                        : null;
        if (command == null) {
            throw new IllegalStateException(scenario.name + " is no benchmark");
        }
        command.options = options;
        Report report = new Report();
        try {
            command.measure(scenario.name, report);
        } catch (BenchmarkException | IOException | IllegalStateException e) {
            // A feature that the server lacks becomes a line of the report and does not end it.
            report.putFailure(String.valueOf(e.getMessage()));
        }
        return report;
    }

    /** A table row, with the first figure that exists among the names that scenarios use for it. */
    private static void print(PrintWriter out, String name, Report report, String prefix) {
        var cells = new ArrayList<Object>();
        cells.add(name);
        for (String figure : SHOWN) {
            cells.add(alternatives(figure).stream()
                    .map(one -> report.shown(prefix + one))
                    .filter(value -> !value.isEmpty())
                    .findFirst()
                    .orElse("-"));
        }
        out.printf(ROW, cells.toArray());
    }

    private static List<String> alternatives(String figure) {
        if (figure.startsWith("latency")) {
            return List.of(
                    figure.replace("latency", "notification"),
                    figure.replace("latency", "push"),
                    figure,
                    "read_" + figure,
                    "first_page_" + figure);
        }
        return switch (figure) {
            case "operations_per_second" ->
                List.of(
                        figure,
                        "registered_per_second",
                        "changes_per_second",
                        "streams_per_second",
                        "first_page_" + figure);
            case "server_cpu_us_per_op" ->
                List.of(
                        figure,
                        "server_cpu_us_per_push_above_idle",
                        "server_cpu_us_per_registration",
                        "server_cpu_us_per_stream",
                        "first_page_" + figure);
            case "heap_bytes" ->
                List.of("heap_bytes_per_connection_with_listens", "heap_bytes_per_instance", "heap_bytes_per_stream");
            case "server_rss_kb" -> List.of(figure, "server_rss_peak_kb", "first_page_" + figure, "read_" + figure);
            default -> List.of(figure, "first_page_" + figure, "read_" + figure);
        };
    }
}
