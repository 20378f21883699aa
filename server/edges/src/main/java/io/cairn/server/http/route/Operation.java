package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of an endpoint: request, right, response and a sentence. Reader, check of rights, reference and audit derive from
 * it. Equal endpoints of several versions share one.
 *
 * @param <T> the typed request
 */
public final class Operation<T> {

    private final Form<T> form;
    private final Right<T> right;
    private final Answer answer;
    private final Wrapping wrapping;
    private final @Nullable Function<HttpRequest, HttpAudit.@Nullable Done> recorded;
    private final boolean answersRevision;
    private final boolean isOfAllNodes;
    private final @Nullable String sentence;

    private Operation(Answers<T> declared, @Nullable String sentence) {
        this.form = declared.form;
        this.right = declared.right;
        this.answer = declared.answer;
        this.wrapping = declared.wrapping;
        this.recorded = declared.recorded;
        this.answersRevision = declared.hasRevision;
        this.isOfAllNodes = declared.isOfAllNodes;
        this.sentence = sentence;
    }

    /** How the response's data is wrapped. */
    public enum Wrapping {
        /** In {@code {"code","message","data"}} from version 2 on, bare JSON in version 1. */
        USUAL,
        /** Bare JSON. */
        BARE,
        /** In {@code {"code","message","data"}} with code 200, as version 1 wraps. */
        OLD_ENVELOPE,
        TEXT,
        FILE,
        EVENTS
    }

    public static <T> Reads<T> of(Form<T> form) {
        return new Reads<>(form);
    }

    /** As {@link #of(Form)}, for a request whose parameters the action reads. */
    public static Reads<HttpRequest> of(Parameter<?>... parameters) {
        return new Reads<>(Form.of(parameters));
    }

    /** An operation outside the API, such as a file of the console. */
    public static Operation<HttpRequest> unlisted(Right<HttpRequest> right) {
        return new Operation<>(
                new Answers<>(Form.NONE, right, Answer.of("string"), Wrapping.USUAL, null, false, false), null);
    }

    public record Reads<T>(Form<T> form) {

        public Needs<T> needs(Right<T> right) {
            return new Needs<>(form, right);
        }
    }

    public record Needs<T>(Form<T> form, Right<T> right) {

        /** Declares a JSON type, as in {@link Answer#of(String)}. */
        public Answers<T> answers(String type) {
            return answers(Answer.of(type));
        }

        public Answers<T> answers(Class<? extends Record> shape) {
            return answers(Answer.of(shape));
        }

        public Answers<T> answers(Answer answer) {
            return new Answers<>(form, right, answer, Wrapping.USUAL, null, false, false);
        }
    }

    public record Answers<T>(
            Form<T> form,
            Right<T> right,
            Answer answer,
            Wrapping wrapping,
            @Nullable Function<HttpRequest, HttpAudit.@Nullable Done> recorded,
            boolean hasRevision,
            boolean isOfAllNodes) {

        public Answers<T> as(Wrapping other) {
            return new Answers<>(form, right, answer, other, recorded, hasRevision, isOfAllNodes);
        }

        /**
         * Records successes in the audit, for changes outside the store.
         *
         * @param done the entry, or null for no entry
         */
        public Answers<T> recordedAs(Function<HttpRequest, HttpAudit.@Nullable Done> done) {
            return new Answers<>(form, right, answer, wrapping, done, hasRevision, isOfAllNodes);
        }

        /** Adds the revision of the request's last change to responses: {@link HttpRequest#stored}. */
        public Answers<T> answersRevision() {
            return new Answers<>(form, right, answer, wrapping, recorded, true, isOfAllNodes);
        }

        /** Marks responses as gathered from all nodes, with the silent nodes named. */
        public Answers<T> ofAllNodes() {
            return new Answers<>(form, right, answer, wrapping, recorded, hasRevision, true);
        }

        /** Declares the sentence of the reference. */
        public Operation<T> says(String sentence) {
            return new Operation<>(this, sentence);
        }
    }

    /** The operation in another version, with another form. */
    public Operation<T> readBy(Form<T> other) {
        return new Operation<>(
                new Answers<>(other, right, answer, wrapping, recorded, answersRevision, isOfAllNodes), sentence);
    }

    /** The operation in another version, with another wrapping. */
    public Operation<T> as(Wrapping other) {
        return new Operation<>(
                new Answers<>(form, right, answer, other, recorded, answersRevision, isOfAllNodes), sentence);
    }

    /** The operation in another version, with another JSON type. */
    public Operation<T> answers(String type) {
        return answers(Answer.of(type));
    }

    /** The same operation of another version of the API, which answers with this record. */
    public Operation<T> answers(Class<? extends Record> shape) {
        return answers(Answer.of(shape));
    }

    private Operation<T> answers(Answer other) {
        return new Operation<>(
                new Answers<>(form, right, other, wrapping, recorded, answersRevision, isOfAllNodes), sentence);
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

    /** The audit entry of a request; null without recording here. */
    @Nullable
    Function<HttpRequest, HttpAudit.@Nullable Done> recorded() {
        return recorded;
    }

    public boolean isRecorded() {
        return recorded != null;
    }

    /** Whether responses have the {@linkplain io.cairn.api.wire.RevisionHeaders headers} of a change. */
    public boolean answersRevision() {
        return answersRevision;
    }

    boolean isOfAllNodes() {
        return isOfAllNodes;
    }

    public List<Parameter<?>> parameters() {
        return form.parameters();
    }

    /** The sentence of the reference; null outside the API. */
    public @Nullable String sentence() {
        return sentence;
    }
}
