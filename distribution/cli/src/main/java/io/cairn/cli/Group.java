package io.cairn.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command with subcommands only. */
abstract class Group implements Callable<Integer> {

    final Cairn cairn;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    Group(Cairn cairn) {
        this.cairn = cairn;
    }

    @Override
    public Integer call() {
        throw usage("Missing command");
    }

    CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }
}
