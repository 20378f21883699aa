package io.cairn.cli;

import io.cairn.cli.Printer.Column;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

@Command(
        name = "doctor",
        description = "Checks a server, and the installation that contains this command,"
                + " and says how to fix each problem. It reads the server's findings as the given user."
                + " Exit status 1 when a check fails.")
final class DoctorCommand implements Callable<Integer> {

    private final Cairn cairn;

    DoctorCommand(Cairn cairn) {
        this.cairn = cairn;
    }

    record Finding(State state, String about, String text, String todo) {

        enum State {
            ok,
            warn,
            fail
        }

        static Finding ok(String about, String text) {
            return new Finding(State.ok, about, text, "");
        }

        static Finding warn(String about, String text, String todo) {
            return new Finding(State.warn, about, text, todo);
        }

        static Finding fail(String about, String text, String todo) {
            return new Finding(State.fail, about, text, todo);
        }

        Map<String, Object> toMap() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("state", state.name());
            fields.put("about", about);
            fields.put("text", text);
            fields.put("todo", todo);
            return fields;
        }
    }

    @Override
    public Integer call() {
        List<Finding> findings = new ArrayList<>();
        boolean isRunning = new ServerChecks(cairn).run(findings);
        @Nullable Object process = null;
        if (isRunning) {
            new AttentionChecks(cairn).run(findings);
            process = new ProcessChecks(cairn).run(findings);
        }
        String home = System.getProperty("cairn.home");
        if (home != null) {
            new HomeChecks(Path.of(home), System.getenv()).run(findings, isRunning, process);
        }
        List<Map<String, Object>> rows = findings.stream().map(Finding::toMap).toList();
        cairn.printer()
                .table(
                        rows,
                        rows,
                        Column.of("", "state"),
                        Column.of("", "about"),
                        new Column(
                                "",
                                row -> Json.text(row, "text")
                                        + (Json.text(row, "todo").isEmpty() ? "" : " -> " + Json.text(row, "todo"))));
        return findings.stream().anyMatch(finding -> finding.state() == Finding.State.fail) ? 1 : 0;
    }
}
