package io.cairn.server.config.validation;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressionFactory;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Limits the cost of one validation. A short schema can demand unbounded steps: by recursive references, nested alternatives, or
 * patterns that backtrack. Counts each step, and ends the validation beyond a limit. For one thread at a time.
 */
final class ValidationBudget extends ExecutionContext {

    /** About two seconds of one thread. */
    private static final int MAX_STEPS = 40_000_000;

    private static final int STEPS_OF_A_KEYWORD = 20;
    /** Nesting of keywords; a thread's stack has room for more than twice as many. */
    private static final int MAX_DEPTH = 1_000;

    /** The thread's validation. A pattern gets only its text, so it finds the budget here. */
    private static final ThreadLocal<@Nullable ValidationBudget> CURRENT = new ThreadLocal<>();

    static final class TooMuch extends RuntimeException {
        TooMuch(String message) {
            super(message, null, false, false);
        }
    }

    private int steps;
    private int depth;

    /** Does the work, and counts the steps of its patterns. */
    void spend(Runnable work) {
        CURRENT.set(this);
        try {
            work.run();
        } finally {
            CURRENT.remove();
        }
    }

    private void step(int cost) {
        steps += cost;
        if (steps > MAX_STEPS) {
            throw new TooMuch("checking it against its schema takes too many steps");
        }
    }

    private void enter() {
        step(STEPS_OF_A_KEYWORD);
        if (++depth > MAX_DEPTH) {
            throw new TooMuch("its schema leads deeper than " + MAX_DEPTH + " keywords");
        }
    }

    @Override
    public void evaluationPathAddLast(String keyword) {
        enter();
        super.evaluationPathAddLast(keyword);
    }

    @Override
    public void evaluationPathAddLast(int index) {
        enter();
        super.evaluationPathAddLast(index);
    }

    @Override
    public void evaluationPathRemoveLast() {
        depth--;
        super.evaluationPathRemoveLast();
    }

    /** The JDK's patterns; each access to a character is a step. */
    static final class Patterns implements RegularExpressionFactory {

        @Override
        public RegularExpression getRegularExpression(String regex) {
            Pattern pattern;
            try {
                pattern = Pattern.compile(regex);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("pattern '" + regex + "': " + e.getDescription(), e);
            }
            return text -> {
                ValidationBudget effort = CURRENT.get();
                return pattern.matcher(effort == null ? text : new CountedText(text, effort))
                        .find();
            };
        }
    }

    private record CountedText(CharSequence text, ValidationBudget effort) implements CharSequence {

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            effort.step(1);
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new CountedText(text.subSequence(start, end), effort);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
