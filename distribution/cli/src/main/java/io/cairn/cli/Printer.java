package io.cairn.cli;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The output of commands: tables and sentences for users, one JSON document for scripts. */
final class Printer {

    private final PrintWriter out;
    private final boolean json;

    Printer(PrintWriter out, boolean json) {
        this.out = out;
        this.json = json;
    }

    boolean isJson() {
        return json;
    }

    record Column(String heading, Function<@Nullable Object, String> cell) {

        static Column of(String heading, String field) {
            return new Column(heading, row -> Json.text(row, field));
        }

        /** A time in epoch milliseconds. */
        static Column at(String heading, String field) {
            return new Column(heading, row -> time(Json.text(row, field)));
        }
    }

    static String time(String epochMillis) {
        try {
            return epochMillis.isEmpty()
                    ? ""
                    : Instant.ofEpochMilli(Long.parseLong(epochMillis)).toString();
        } catch (NumberFormatException e) {
            return epochMillis;
        }
    }

    /** The rows as a table, or {@code data} as JSON. */
    void table(@Nullable Object data, List<?> rows, Column... columns) {
        if (json) {
            json(data);
            return;
        }
        Rows table = rows(columns);
        rows.forEach(table::add);
        table.print();
    }

    /** A table or JSON array with rows added one by one. */
    Rows rows(Column... columns) {
        return new Rows(List.of(columns));
    }

    /** Keeps only the printed text of each row, for large lists. */
    final class Rows {

        private final List<Column> columns;
        private final List<List<String>> lines = new ArrayList<>();

        private Rows(List<Column> columns) {
            this.columns = columns;
            if (!json && columns.stream().anyMatch(column -> !column.heading().isEmpty())) {
                lines.add(columns.stream().map(Column::heading).toList());
            }
        }

        void add(@Nullable Object row) {
            lines.add(
                    json
                            ? List.of(Json.write(row))
                            : columns.stream()
                                    .map(column -> column.cell().apply(row))
                                    .toList());
        }

        void print() {
            if (json) {
                printArray();
            } else {
                printTable();
            }
            out.flush();
        }

        private void printArray() {
            out.print('[');
            String separator = "";
            for (List<String> line : lines) {
                out.print(separator);
                out.print(line.get(0));
                separator = ",";
            }
            out.println(']');
        }

        private void printTable() {
            int[] widths = new int[columns.size()];
            for (List<String> line : lines) {
                for (int i = 0; i < widths.length; i++) {
                    widths[i] = Math.max(widths[i], line.get(i).length());
                }
            }
            for (List<String> line : lines) {
                StringBuilder text = new StringBuilder();
                for (int i = 0; i < widths.length; i++) {
                    text.append(line.get(i))
                            .append(" ".repeat(widths[i] - line.get(i).length() + 2));
                }
                out.println(text.toString().stripTrailing());
            }
        }
    }

    /** A sentence, or {@code data} as JSON. */
    void done(@Nullable Object data, String sentence) {
        if (json) {
            json(data);
        } else {
            line(sentence);
        }
    }

    void json(@Nullable Object data) {
        out.println(Json.write(data));
        out.flush();
    }

    void line(String text) {
        out.println(text);
        out.flush();
    }

    /** Exactly this text, without a line end. */
    void raw(String text) {
        out.print(text);
        out.flush();
    }
}
