package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint takes and answers, for the reference of the API. Immutable.
 *
 * @param summary a sentence
 * @param parameters of the query or, where the method has a body, of a form; the reader takes both
 * @param body what the body is when it is no form; null when it is one, or there is none
 * @param answer the shape of the answer's data
 * @param form how the answer is wrapped
 */
public record OldOperation(
        String summary,
        List<Parameter> parameters,
        @Nullable Body body,
        String answer,
        Form form) {

    /** How an answer is wrapped. */
    public enum Form {
        /** As the version has it: in {@code {"code","message","data"}} from version 2 on, and bare before. */
        USUAL,
        /** JSON as it is. */
        BARE,
        /** In {@code {"code","message","data"}} with code 200, as version 1 wraps. */
        OLD_ENVELOPE,
        /** Plain text. */
        TEXT,
        /** A zip file. */
        FILE,
        /** Server-sent events. */
        EVENTS
    }

    /** What a body may be beside a form. */
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
    }

    public OldOperation {
        parameters = List.copyOf(parameters);
    }

    /**
     * An operation whose answer is wrapped as its version wraps.
     *
     * @param parameters separated by spaces; {@code !} after a required one, {@code :type} after one that is no text,
     *     {@code @} before a header, as in {@code "dataId! pageNo:integer @betaIps"}
     * @param answer {@code string}, {@code boolean}, {@code integer}, {@code object}, {@code null}, the name of a shape in
     *     {@link Shapes}, one of those in brackets for a list, or {@code Page of} one
     */
    public static OldOperation of(String summary, String parameters, String answer) {
        List<Parameter> read = new ArrayList<>();
        for (String parameter : parameters.trim().split("\\s+")) {
            if (!parameter.isEmpty()) {
                read.add(Parameter.read(parameter));
            }
        }
        return new OldOperation(summary, read, null, answer, Form.USUAL);
    }

    /** The same with an answer in another form. */
    public OldOperation as(Form other) {
        return new OldOperation(summary, parameters, body, answer, other);
    }

    /** The same with a body that is no form. */
    public OldOperation with(Body other) {
        return new OldOperation(summary, parameters, other, answer, form);
    }
}
