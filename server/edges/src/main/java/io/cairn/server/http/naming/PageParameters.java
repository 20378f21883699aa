package io.cairn.server.http.naming;

import io.cairn.server.config.PageRequest;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;
import java.util.List;

/**
 * The parameters of a page of a list. Immutable.
 *
 * @param number of the page, from 1 on
 * @param size the most entries on it
 */
public record PageParameters(Parameter<Integer> number, Parameter<Integer> size) {

    /** A page must be named, as in version 1. */
    public static final PageParameters REQUIRED = new PageParameters(
            Parameter.integer("pageNo", "The page, from 1 on").required(),
            Parameter.integer("pageSize", "The most entries on a page").required());

    /** Version 3 refuses numbers below 1, with its own text. */
    public static final PageParameters POSITIVE = new PageParameters(
            positive(Parameter.integer("pageNo", "The page").orNone()).orElse(1),
            positive(Parameter.integer("pageSize", "The most entries on a page").orNone())
                    .orElse(100));

    /** Without parameters, the first page of this size. */
    public static PageParameters ofSize(int sizeIfAbsent) {
        return new PageParameters(
                Parameter.integer("pageNo", "The page, from 1 on").orNone().orElse(1),
                Parameter.integer("pageSize", "The most entries on a page")
                        .orNone()
                        .orElse(sizeIfAbsent));
    }

    private static Parameter<Integer> positive(Parameter<Integer> parameter) {
        return parameter.within(1, null, value -> PageRequest.positive(parameter.name(), value));
    }

    /** Both, for a {@link io.cairn.server.http.route.Form}. */
    public List<Parameter<?>> both() {
        return List.of(number, size);
    }

    /** The page that a request asks for. */
    public Page of(HttpRequest request) {
        return new Page(number.of(request), size.of(request));
    }
}
