package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How an endpoint reads a request: its parameters, and the typed request made of them.
 *
 * <p>The typed request has all values for the {@linkplain Right right}. The reader refuses their absence; the action refuses other absent values.
 *
 * @param parameters of the query or of a form body; a reader accepts both
 * @param body the kind of a body other than a form, or null
 * @param reader throws a {@link io.cairn.api.error.CairnException} for a missing or illegal parameter
 */
public record Form<T>(
        List<Parameter<?>> parameters, @Nullable Body body, Function<HttpRequest, T> reader) {

    /** A request without parameters. */
    public static final Form<HttpRequest> NONE = of();

    /** The header of a read that waits for a revision; {@link HttpRoute#afterRevision} reads it. */
    public static final Parameter<String> MIN_REVISION = Parameter.header(
                    RevisionHeaders.MIN_REVISION, "The response shows at least this revision")
            .typed("integer");

    public enum Body {
        JSON,
        /** A multipart form with one {@code file}. */
        FILE,
        /** A file of any size; the endpoint reads it by {@link HttpRequest#receive}. */
        UPLOAD
    }

    public Form {
        parameters = List.copyOf(parameters);
    }

    /** A form whose parameters the action reads. */
    public static Form<HttpRequest> of(Parameter<?>... parameters) {
        return new Form<>(List.of(parameters), null, Function.identity());
    }

    /** The same parameters, read into a typed request. */
    public <R> Form<R> as(Function<HttpRequest, R> other) {
        return new Form<>(parameters, body, other);
    }

    /** Sets a body other than a form. */
    public Form<T> with(Body other) {
        return new Form<>(parameters, other, reader);
    }

    /** The same form with more parameters, which the action reads. */
    public Form<T> and(Parameter<?>... more) {
        return and(List.of(more));
    }

    /** The same form with more parameters, which the action reads. */
    public Form<T> and(List<Parameter<?>> more) {
        List<Parameter<?>> all = new ArrayList<>(parameters);
        all.addAll(more);
        return new Form<>(all, body, reader);
    }

    /** Adds a check or change of the read request. */
    public Form<T> then(UnaryOperator<T> check) {
        return new Form<>(parameters, body, request -> check.apply(reader.apply(request)));
    }

    T read(HttpRequest request) {
        return reader.apply(request);
    }
}
