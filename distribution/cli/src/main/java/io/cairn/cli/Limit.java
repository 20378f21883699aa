package io.cairn.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The most printed items of a list. */
abstract class Limit {

    @Spec(Target.MIXEE)
    private @Nullable CommandSpec command;

    private int most;

    private Limit(int most) {
        this.most = most;
    }

    int most() {
        return most;
    }

    final void set(int value) {
        if (value < 1) {
            String message = "--limit: " + value + " (expected: at least 1)";
            throw command == null
                    ? new IllegalArgumentException(message)
                    : new CommandLine.ParameterException(command.commandLine(), message);
        }
        most = value;
    }

    /** All items, unless the option is set. */
    static final class OrAll extends Limit {

        OrAll() {
            super(Integer.MAX_VALUE);
        }

        @Option(
                names = "--limit",
                paramLabel = "N",
                converter = Numbers.Most.class,
                description = "print at most this number (default: all)")
        void limit(int value) {
            set(value);
        }
    }

    /** Events, newest first. */
    static final class OrNewest extends Limit {

        OrNewest() {
            super(50);
        }

        @Option(
                names = "--limit",
                paramLabel = "N",
                converter = Numbers.Most.class,
                description = "print at most this number (default: 50)")
        void limit(int value) {
            set(value);
        }
    }
}
