package io.cairn.server.storage.writer;

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
 * Columns of a table with the values of a row of type {@code R}. The names in a statement and its parameters derive from this list.
 */
public final class Columns<R> {

    private final List<String> names;
    private final List<String> marks;

    private final List<Binder<R>> binders;

    public Columns() {
        this(List.of(), List.of(), List.of());
    }

    private Columns(List<String> names, List<String> marks, List<Binder<R>> binders) {
        this.names = List.copyOf(names);
        this.marks = List.copyOf(marks);
        this.binders = List.copyOf(binders);
    }

    /** Binds one or more columns from an index on, and returns the next index. */
    interface Binder<R> {
        public int bind(PreparedStatement statement, int from, R row, WriteTransaction transaction) throws SQLException;
    }

    public interface Text<R> {
        @Nullable
        String of(R row);
    }

    /** A row's text for a column, perhaps by transaction, or null. */
    public interface TextOfTransaction<R> {
        @Nullable
        String of(R row, WriteTransaction transaction);
    }

    public Columns<R> text(String name, Text<R> value) {
        return text(name, (row, transaction) -> value.of(row));
    }

    public Columns<R> text(String name, TextOfTransaction<R> value) {
        return with(List.of(name), (statement, from, row, transaction) -> {
            String text = value.of(row, transaction);
            statement.setString(
                    from, text == null ? null : transaction.dialect().storedText(name, text));
            return from + 1;
        });
    }

    public Columns<R> number(String name, ToLongFunction<R> value) {
        return number(name, (row, transaction) -> value.applyAsLong(row));
    }

    public Columns<R> number(String name, ToLongBiFunction<R, WriteTransaction> value) {
        return with(List.of(name), (statement, from, row, transaction) -> {
            statement.setLong(from, value.applyAsLong(row, transaction));
            return from + 1;
        });
    }

    /** A {@code gmt_} column with the transaction's time. */
    public Columns<R> now(String name) {
        return with(List.of(name), (statement, from, row, transaction) -> {
            transaction.bindNow(statement, from);
            return from + 1;
        });
    }

    /** data_id, group_id and tenant_id. */
    public Columns<R> key(Function<R, ConfigKey> key) {
        return with(
                List.of("data_id", "group_id", "tenant_id"),
                (statement, from, row, transaction) -> transaction.bindKey(statement, from, key.apply(row)));
    }

    public Columns<R> literal(String name, String text) {
        return new Columns<>(joined(names, List.of(name)), joined(marks, List.of("'" + text + "'")), binders);
    }

    public Columns<R> and(Columns<R> others) {
        return new Columns<>(joined(names, others.names), joined(marks, others.marks), joined(binders, others.binders));
    }

    private Columns<R> with(List<String> added, Binder<R> binder) {
        List<String> parameters = Collections.nCopies(added.size(), "?");
        return new Columns<>(joined(names, added), joined(marks, parameters), joined(binders, List.of(binder)));
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    public List<String> list() {
        return names;
    }

    public String names() {
        return String.join(", ", names);
    }

    public String marks() {
        return String.join(", ", marks);
    }

    public String each(Function<String, String> expression) {
        return names.stream().map(expression).collect(Collectors.joining(", "));
    }

    public int bind(PreparedStatement statement, int from, R row, WriteTransaction transaction) throws SQLException {
        int at = from;
        for (int i = 0; i < binders.size(); i++) {
            at = binders.get(i).bind(statement, at, row, transaction);
        }
        return at;
    }
}
