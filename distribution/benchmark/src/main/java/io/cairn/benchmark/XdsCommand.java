package io.cairn.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "xds",
        description =
                "Opens many ADS streams at once, as Envoy does, on services that it registers; then nothing, single "
                        + "changes, many changes in a second, and all streams once more after they were closed. Says what each "
                        + "costs the server; fails when a stream does not end on the last state. Runs as long as that takes: "
                        + "--seconds and --warmup have no effect.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class XdsCommand extends BenchmarkCommand {
    @Option(names = "--streams", description = "each on a connection of its own (default: ${DEFAULT-VALUE})")
    int streams = 1600;

    @Option(names = "--services", description = "that each stream sees (default: ${DEFAULT-VALUE})")
    int services = 200;

    @Option(names = "--endpoints", description = "of each service (default: ${DEFAULT-VALUE})")
    int endpoints = 8;

    @Option(names = "--delta", description = "speak the delta protocol instead of state of the world")
    boolean delta;

    @Option(names = "--at-once", description = "streams that may be opening; 0: all (default: ${DEFAULT-VALUE})")
    int atOnce;

    @Option(names = "--idle", description = "seconds without a change (default: ${DEFAULT-VALUE})")
    double idle = 10;

    @Option(
            names = "--changes",
            description = "of one endpoint each, when all streams have the one before (default: ${DEFAULT-VALUE})")
    int changes = 10;

    @Option(
            names = "--burst",
            description = "changes of one endpoint each, spread over one second (default: ${DEFAULT-VALUE})")
    int burst = 100;

    @Option(
            names = "--pause-ms",
            description = "between single changes: the server waits between pushes as well (default: ${DEFAULT-VALUE})")
    int pauseMillis = 500;

    @Option(
            names = "--converge",
            description = "seconds after a change within which all streams must have it (default: ${DEFAULT-VALUE})")
    double converge = 60;

    @Option(
            names = "--settle",
            description = "seconds after streams were opened or closed, before the server's heap is read, and after "
                    + "many changes (default: ${DEFAULT-VALUE})")
    double settle = 2;

    @Option(
            names = "--beside",
            paramLabel = "host:port=pid",
            description =
                    "a further server, which has each part of the run in turn with the first (figures: beside_1_..., and "
                            + "the CPU of the first divided by its own: ..._ratio); again for more of them")
    Map<String, Long> beside = new LinkedHashMap<>();

    @Override
    void check() {
        Limits.within("--streams", streams, 1, Limits.CONNECTIONS);
        Limits.within("--services", services, 1, 10_000);
        Limits.within("--endpoints", endpoints, 1, 250);
        Limits.within("--services x --endpoints", (double) services * endpoints, 1, Limits.INSTANCES);
        Limits.within("--at-once", atOnce, 0, Limits.CONNECTIONS);
        Limits.within("--idle", idle, 0.05, 600);
        Limits.within("--changes", changes, 1, 1000);
        Limits.within("--burst", burst, 1, 10_000);
        Limits.within("--pause-ms", pauseMillis, 0, 60_000);
        Limits.within("--converge", converge, 0.1, 3600);
        Limits.within("--settle", settle, 0, 600);
        beside.values().forEach(pid -> Limits.within("--beside pid", (double) pid, 1, Integer.MAX_VALUE));
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        var others = new ArrayList<Session>();
        try {
            var courses = new ArrayList<XdsCourse>();
            courses.add(new XdsCourse(this, session));
            for (Map.Entry<String, Long> server : beside.entrySet()) {
                var other = new Session(options, Target.parse(server.getKey()), server.getValue());
                others.add(other);
                other.logIn();
                courses.add(new XdsCourse(this, other));
            }
            run(courses);
            XdsCourse first = courses.get(0);
            report.putAll("", first.report());
            for (int i = 1; i < courses.size(); i++) {
                var other = new Report();
                other.put("server", others.get(i - 1).target().authority());
                other.putAll("", courses.get(i).report());
                courses.get(i).reportRatios(first, other);
                report.putAll("beside_" + i + "_", other);
            }
        } finally {
            others.forEach(Session::close);
        }
    }

    private static void run(List<XdsCourse> courses) throws Exception {
        for (XdsCourse.Part part : XdsCourse.PARTS) {
            for (XdsCourse course : courses) {
                part.play(course);
            }
        }
    }
}
