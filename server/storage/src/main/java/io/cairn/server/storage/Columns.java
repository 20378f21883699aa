package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Columns of a table, each with the value that a row of type {@code R} has for it. The names in a statement and the order
 * of its parameters derive from this list. Immutable.
 */
final class Columns<R> {

    private final List<String> names;
    /** The value of each column in the text of a statement: a parameter or a literal. */
    private final List<String> marks;

    private final List<Binder<R>> binders;

    Columns() {
        this(List.of(), List.of(), List.of());
    }

    private Columns(List<String> names, List<String> marks, List<Binder<R>> binders) {
        this.names = List.copyOf(names);
        this.marks = List.copyOf(marks);
        this.binders = List.copyOf(binders);
    }

    /** Binds the values of one or more columns from an index on, and returns the next free index. */
    interface Binder<R> {
        int bind(PreparedStatement statement, int from, R row, WriteTransaction transaction) throws SQLException;
    }

    /** The text of a row for a column; null for none. */
    interface Text<R> {
        @Nullable
        String of(R row);
    }

    /** The text of a row for a column, which may depend on the transaction; null for none. */
    interface TextOfTransaction<R> {
        @Nullable
        String of(R row, WriteTransaction transaction);
    }

    Columns<R> text(String name, Text<R> value) {
        return text(name, (row, transaction) -> value.of(row));
    }

    Columns<R> text(String name, TextOfTransaction<R> value) {
        return with(List.of(name), (statement, from, row, transaction) -> {
            statement.setString(from, value.of(row, transaction));
            return from + 1;
        });
    }

    Columns<R> number(String name, ToLongFunction<R> value) {
        return number(name, (row, transaction) -> value.applyAsLong(row));
    }

    Columns<R> number(String name, ToLongBiFunction<R, WriteTransaction> value) {
        return with(List.of(name), (statement, from, row, transaction) -> {
            statement.setLong(from, value.applyAsLong(row, transaction));
            return from + 1;
        });
    }

    /** A {@code gmt_} column of a table of Nacos that gets the time of the transaction. */
    Columns<R> now(String name) {
        return with(List.of(name), (statement, from, row, transaction) -> {
            transaction.bindNow(statement, from);
            return from + 1;
        });
    }

    /** The columns data_id, group_id and tenant_id. */
    Columns<R> key(Function<R, ConfigKey> key) {
        return with(
                List.of("data_id", "group_id", "tenant_id"),
                (statement, from, row, transaction) -> transaction.bindKey(statement, from, key.apply(row)));
    }

    /** A column with the same text in each row. */
    Columns<R> literal(String name, String text) {
        return new Columns<>(joined(names, List.of(name)), joined(marks, List.of("'" + text + "'")), binders);
    }

    Columns<R> and(Columns<R> others) {
        return new Columns<>(joined(names, others.names), joined(marks, others.marks), joined(binders, others.binders));
    }

    private Columns<R> with(List<String> added, Binder<R> binder) {
        List<String> parameters = Collections.nCopies(added.size(), "?");
        return new Columns<>(joined(names, added), joined(marks, parameters), joined(binders, List.of(binder)));
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    List<String> list() {
        return names;
    }

    /** The names, as in {@code a, b, c}. */
    String names() {
        return String.join(", ", names);
    }

    /** The values of a row in the text of a statement, as in {@code ?, ?, 'formal'}. */
    String marks() {
        return String.join(", ", marks);
    }

    /** An expression for each column, separated by commas. */
    String each(Function<String, String> expression) {
        return names.stream().map(expression).collect(Collectors.joining(", "));
    }

    /** Binds a row from an index on, and returns the next free index. */
    int bind(PreparedStatement statement, int from, R row, WriteTransaction transaction) throws SQLException {
        int at = from;
        for (int i = 0; i < binders.size(); i++) {
            at = binders.get(i).bind(statement, at, row, transaction);
        }
        return at;
    }
}
