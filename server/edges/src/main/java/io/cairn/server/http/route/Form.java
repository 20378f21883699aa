package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How an endpoint reads a request: the parameters that it takes, and the typed request made of them. Immutable.
 *
 * <p>The typed request has all that the {@linkplain Right right} of the endpoint is computed from. A reader refuses what these
 * parts lack; whatever else a request must have is for the action to refuse, after the right was checked.
 *
 * @param parameters of the query or, where the method has a body, of a form; a reader takes both
 * @param body what the body is when it is not a form; null when it is one, or there is none
 * @param reader throws a {@link io.cairn.api.error.CairnException} for a parameter that is missing or refused
 */
public record Form<T>(List<Parameter> parameters, @Nullable Body body, Function<HttpRequest, T> reader) {

    /** A request without parameters. */
    public static final Form<HttpRequest> NONE = of("");

    /** The header of a read that waits for a revision; {@link HttpRoute#afterRevision} reads it. */
    public static final String MIN_REVISION = " @" + RevisionHeaders.MIN_REVISION + ":integer ";

    /** The kinds of body beside a form. */
    public enum Body {
        JSON,
        /** A multipart form with one {@code file}. */
        FILE,
        /** A file as it is, of any size; the endpoint takes it by {@link HttpRequest#receive}. */
        UPLOAD
    }

    /**
     * One parameter.
     *
     * @param type {@code string}, {@code integer}, {@code number} or {@code boolean}
     * @param inHeader whether it travels as a header
     */
    public record Parameter(String name, String type, boolean required, boolean inHeader) {

        /** Reads {@code name}, {@code name!} for a required one, {@code name:integer}, {@code @name} for a header. */
        static Parameter read(String text) {
            boolean inHeader = text.startsWith("@");
            boolean required = text.contains("!");
            String[] parts = text.replace("!", "").substring(inHeader ? 1 : 0).split(":", 2);
            return new Parameter(parts[0], parts.length > 1 ? parts[1] : "string", required, inHeader);
        }

        static List<Parameter> list(String text) {
            List<Parameter> read = new ArrayList<>();
            for (String parameter : text.trim().split("\\s+")) {
                if (!parameter.isEmpty()) {
                    read.add(read(parameter));
                }
            }
            return read;
        }
    }

    public Form {
        parameters = List.copyOf(parameters);
    }

    /**
     * A form that is read into a typed request.
     *
     * @param parameters separated by spaces; {@code !} after a required one, {@code :type} after one that is no text,
     *     {@code @} before a header, as in {@code "dataId! pageNo:integer @betaIps"}
     */
    public static <T> Form<T> of(String parameters, Function<HttpRequest, T> reader) {
        return new Form<>(Parameter.list(parameters), null, reader);
    }

    /** A form whose parameters the action reads, because the right does not depend on them or on one of them only. */
    public static Form<HttpRequest> of(String parameters) {
        return of(parameters, Function.identity());
    }

    /** The same form with a body that is not a form. */
    public Form<T> with(Body other) {
        return new Form<>(parameters, other, reader);
    }

    /** The same form with more parameters, which the action reads. */
    public Form<T> and(String more) {
        List<Parameter> all = new ArrayList<>(parameters);
        all.addAll(Parameter.list(more));
        return new Form<>(all, body, reader);
    }

    /** The same form with a check, or another change, of the request that was read. */
    public Form<T> then(UnaryOperator<T> check) {
        return new Form<>(parameters, body, request -> check.apply(reader.apply(request)));
    }

    T read(HttpRequest request) {
        return reader.apply(request);
    }
}
