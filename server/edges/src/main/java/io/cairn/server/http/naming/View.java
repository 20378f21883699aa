package io.cairn.server.http.naming;

import java.util.function.Function;

/** A version's view of something, as a record for Jackson. */
public record View<T, R extends Record>(Class<R> shape, Function<T, R> make) {

    R of(T shown) {
        return make.apply(shown);
    }
}
