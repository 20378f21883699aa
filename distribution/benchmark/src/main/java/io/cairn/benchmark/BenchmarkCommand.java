package io.cairn.benchmark;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A subcommand: measures, reports, and fails when an operation failed or nothing was done. */
abstract class BenchmarkCommand implements Callable<Integer> {
    static final int OK = 0;
    static final int FAILED = 1;

    @Mixin
    RunOptions options = new RunOptions();

    @Spec
    @Nullable
    CommandSpec spec;

    /** Refuses what is out of bounds, before anything is started. */
    abstract void check();

    /** Measures once against one server. */
    abstract void measure(Session session, Report report) throws Exception;

    @Override
    public final Integer call() throws Exception {
        Report report = new Report();
        measure(spec == null ? "" : spec.name(), report);
        if (options.jsonFile != null) {
            Files.writeString(options.jsonFile, report.json() + "\n");
        }
        if (spec != null) {
            PrintWriter out = spec.commandLine().getOut();
            out.print(options.json ? report.json() + "\n" : report.table());
            out.flush();
        }
        return report.failed() ? FAILED : OK;
    }

    /** All figures of a run, those of the bare server before if they are wanted. */
    final void measure(String name, Report report) throws Exception {
        options.check();
        check();
        Target target = Target.parse(options.server);
        report.put("benchmark", name);
        report.put("server", target.authority());
        if (options.baseline) {
            try (BareProcess bare = BareProcess.start()) {
                var bareTarget = new Target(InetAddress.getLoopbackAddress(), bare.httpPort());
                report.putAll("bare_", run(bareTarget, bare.pid(), false));
            }
        }
        report.putAll("", run(target, options.pid, true));
    }

    private Report run(Target target, long pid, boolean logsIn) throws Exception {
        var report = new Report();
        try (var session = new Session(options, target, pid)) {
            if (logsIn) {
                session.logIn();
            }
            measure(session, report);
        }
        return report;
    }
}
