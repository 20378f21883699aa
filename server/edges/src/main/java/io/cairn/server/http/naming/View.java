package io.cairn.server.http.naming;

import java.util.function.Function;

/**
 * How a version of the API shows something: as a record that Jackson writes.
 *
 * @param shape the record
 * @param make makes it
 */
public record View<T, R extends Record>(Class<R> shape, Function<T, R> make) {

    R of(T shown) {
        return make.apply(shown);
    }
}
