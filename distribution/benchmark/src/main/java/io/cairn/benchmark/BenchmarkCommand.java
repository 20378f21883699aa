package io.cairn.benchmark;

import java.io.PrintWriter;
import java.net.InetAddress;
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

    abstract void measure(Session session, Report report) throws Exception;

    @Override
    public final Integer call() throws Exception {
        options.check();
        check();
        Target target = Target.parse(options.server);
        var report = new Report();
        if (spec != null) {
            report.put("benchmark", spec.name());
        }
        report.put("server", target.authority());
        if (options.baseline) {
            try (BareProcess bare = BareProcess.start()) {
                var bareTarget = new Target(InetAddress.getLoopbackAddress(), bare.httpPort());
                report.putAll("bare_", run(bareTarget, bare.pid()));
            }
        }
        report.putAll("", run(target, options.pid));
        if (spec != null) {
            PrintWriter out = spec.commandLine().getOut();
            out.print(options.json ? report.json() + "\n" : report.table());
            out.flush();
        }
        return report.failed() ? FAILED : OK;
    }

    private Report run(Target target, long pid) throws Exception {
        var report = new Report();
        try (var session = new Session(options, target, pid)) {
            measure(session, report);
        }
        return report;
    }
}
