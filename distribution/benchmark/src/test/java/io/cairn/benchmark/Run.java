package io.cairn.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** The output and exit code of one subcommand. */
record Run(int exitCode, String text) {
    /** A short run that prints JSON. */
    static Run against(int httpPort, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--server", "127.0.0.1:" + httpPort, "--warmup", "0.1", "--json"));
        if (!all.contains("--seconds")) {
            all.addAll(List.of("--seconds", "0.4"));
        }
        return execute(all);
    }

    static Run execute(List<String> arguments) {
        var text = new StringWriter();
        CommandLine commandLine = Benchmark.commandLine();
        commandLine.setOut(new PrintWriter(text, true));
        commandLine.setErr(new PrintWriter(text, true));
        return new Run(commandLine.execute(arguments.toArray(String[]::new)), text.toString());
    }

    double figure(String name) {
        Matcher value = Pattern.compile("\"" + name + "\":(-?[0-9.]+)").matcher(text);
        assertThat(value.find()).as("%s in %s", name, text).isTrue();
        return Double.parseDouble(value.group(1));
    }
}
