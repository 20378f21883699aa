package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of an endpoint: the request that it takes, the right that this needs, the response and a sentence. The reader
 * of requests, the check of rights, the reference of the API and the audit derive from it. Endpoints of several versions that do
 * the same share one. Immutable.
 *
 * @param <T> the typed request
 */
public final class Operation<T> {

    private final Form<T> form;
    private final Right<T> right;
    private final Answer answer;
    private final Wrapping wrapping;
    private final @Nullable Function<HttpRequest, HttpAudit.@Nullable Done> recorded;
    private final boolean tellsRevision;
    private final boolean isOfAllNodes;
    private final @Nullable String sentence;

    private Operation(Answers<T> declared, @Nullable String sentence) {
        this.form = declared.form;
        this.right = declared.right;
        this.answer = declared.answer;
        this.wrapping = declared.wrapping;
        this.recorded = declared.recorded;
        this.tellsRevision = declared.hasRevision;
        this.isOfAllNodes = declared.isOfAllNodes;
        this.sentence = sentence;
    }

    /** How the data of a response is wrapped. */
    public enum Wrapping {
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

    /** Begins the declaration of an operation whose requests are read by this form. */
    public static <T> Reads<T> of(Form<T> form) {
        return new Reads<>(form);
    }

    /** As {@link #of(Form)}, for a request whose parameters the action reads; the notation is that of {@link Form#of}. */
    public static Reads<HttpRequest> of(String parameters) {
        return new Reads<>(Form.of(parameters));
    }

    /** An operation that is not a part of the API, such as a file of the console. */
    public static Operation<HttpRequest> unlisted(Right<HttpRequest> right) {
        return new Operation<>(
                new Answers<>(Form.NONE, right, Answer.of("string"), Wrapping.USUAL, null, false, false), null);
    }

    /** The form is declared; the right is not yet. */
    public record Reads<T>(Form<T> form) {

        /** Declares the right that a request needs. */
        public Needs<T> needs(Right<T> right) {
            return new Needs<>(form, right);
        }
    }

    /** The form and the right are declared; the response is not yet. */
    public record Needs<T>(Form<T> form, Right<T> right) {

        /** Declares the data of the response: a JSON type, as in {@link Answer#of(String)}. */
        public Answers<T> answers(String type) {
            return answers(Answer.of(type));
        }

        /** Declares the data of the response: an object, written by Jackson. */
        public Answers<T> answers(Class<? extends Record> shape) {
            return answers(Answer.of(shape));
        }

        /** Declares the data of the response. */
        public Answers<T> answers(Answer answer) {
            return new Answers<>(form, right, answer, Wrapping.USUAL, null, false, false);
        }
    }

    /** All but the sentence is declared. */
    public record Answers<T>(
            Form<T> form,
            Right<T> right,
            Answer answer,
            Wrapping wrapping,
            @Nullable Function<HttpRequest, HttpAudit.@Nullable Done> recorded,
            boolean hasRevision,
            boolean isOfAllNodes) {

        /** The same with the data wrapped in another way. */
        public Answers<T> as(Wrapping other) {
            return new Answers<>(form, right, answer, other, recorded, hasRevision, isOfAllNodes);
        }

        /**
         * The same, recorded in the audit once a request was answered without a failure. For changes that no store records.
         *
         * @param done what to record of a request; null for nothing
         */
        public Answers<T> recordedAs(Function<HttpRequest, HttpAudit.@Nullable Done> done) {
            return new Answers<>(form, right, answer, wrapping, done, hasRevision, isOfAllNodes);
        }

        /** The same, whose responses say the revision of the last change that the request has made: {@link HttpRequest#stored}. */
        public Answers<T> tellsRevision() {
            return new Answers<>(form, right, answer, wrapping, recorded, true, isOfAllNodes);
        }

        /** The same, whose responses are gathered from all nodes, and name those that did not answer. */
        public Answers<T> ofAllNodes() {
            return new Answers<>(form, right, answer, wrapping, recorded, hasRevision, true);
        }

        /** Declares what the operation does, in a sentence for the reference. */
        public Operation<T> says(String sentence) {
            return new Operation<>(this, sentence);
        }
    }

    /** The same operation of another version of the API, which reads its requests by another form. */
    public Operation<T> readBy(Form<T> other) {
        return new Operation<>(
                new Answers<>(other, right, answer, wrapping, recorded, tellsRevision, isOfAllNodes), sentence);
    }

    /** The same operation of another version of the API, which wraps the data of the response in another way. */
    public Operation<T> as(Wrapping other) {
        return new Operation<>(
                new Answers<>(form, right, answer, other, recorded, tellsRevision, isOfAllNodes), sentence);
    }

    /** The same operation of another version of the API, which answers with data of another JSON type. */
    public Operation<T> answers(String type) {
        return new Operation<>(
                new Answers<>(form, right, Answer.of(type), wrapping, recorded, tellsRevision, isOfAllNodes), sentence);
    }

    public Form<T> form() {
        return form;
    }

    public Right<T> right() {
        return right;
    }

    public Answer answer() {
        return answer;
    }

    public Wrapping wrapping() {
        return wrapping;
    }

    /** The entry of the audit for a request; null for an operation that it does not record here. */
    @Nullable
    Function<HttpRequest, HttpAudit.@Nullable Done> recorded() {
        return recorded;
    }

    /** Whether the audit records requests of this operation that a store does not record. */
    public boolean isRecorded() {
        return recorded != null;
    }

    /** Whether responses have the {@linkplain io.cairn.api.wire.RevisionHeaders headers} of a change. */
    public boolean tellsRevision() {
        return tellsRevision;
    }

    /** Whether responses are gathered from all nodes, and have the header that names silent ones. */
    boolean isOfAllNodes() {
        return isOfAllNodes;
    }

    public List<Form.Parameter> parameters() {
        return form.parameters();
    }

    /** The sentence of the reference; null for an operation that is not a part of the API. */
    public @Nullable String sentence() {
        return sentence;
    }
}
