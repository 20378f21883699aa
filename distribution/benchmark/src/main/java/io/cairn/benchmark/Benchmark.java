package io.cairn.benchmark;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: one subcommand for each thing to measure. */
@Command(
        name = "benchmark",
        description = "Puts load on a server that speaks the Nacos wire, on this machine, and says what it cost.",
        mixinStandardHelpOptions = true,
        subcommands = {
            GrpcReadCommand.class,
            HttpReadCommand.class,
            GrpcPublishCommand.class,
            PushCommand.class,
            FanOutCommand.class,
            ConnectionsCommand.class,
            LongPollCommand.class,
            GrpcRegisterCommand.class,
            HttpListCommand.class,
            HttpBeatCommand.class,
            ServicePushCommand.class,
            ServiceStormCommand.class,
            ServiceChurnCommand.class,
            ServiceCapacityCommand.class,
            ConfigSearchCommand.class,
            ClusterChurnCommand.class,
            XdsCommand.class,
            AllCommand.class,
            BareServerCommand.class
        })
public final class Benchmark implements Callable<Integer> {
    @Spec
    @Nullable
    CommandSpec spec;

    private Benchmark() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        var commandLine = new CommandLine(new Benchmark());
        commandLine.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (!(failure instanceof BenchmarkException)) {
                throw failure;
            }
            command.getErr().println("failed: " + failure.getMessage());
            command.getErr().flush();
            return BenchmarkCommand.FAILED;
        });
        return commandLine;
    }

    @Override
    public Integer call() {
        CommandSpec self = spec;
        if (self == null) {
            throw new IllegalStateException("not run by picocli");
        }
        throw new ParameterException(self.commandLine(), "which benchmark? (expected: a subcommand)");
    }
}
