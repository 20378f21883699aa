package io.cairn.server.config.validation;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressionFactory;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * What one check against a schema may cost. A short schema can ask for more steps than there is time: by references that
 * meet themselves, by alternatives of alternatives, by patterns that backtrack. Each step is counted; when there are too
 * many, the check ends. One thread at a time.
 */
final class ValidationBudget extends ExecutionContext {

    /** About two seconds of one thread. */
    private static final int MAX_STEPS = 40_000_000;

    private static final int STEPS_OF_A_KEYWORD = 20;
    /** Keywords within keywords; a thread's stack holds more than twice as many. */
    private static final int MAX_DEPTH = 1_000;

    /** The check that the thread is at; patterns are matched by what knows no more than a text. */
    private static final ThreadLocal<@Nullable ValidationBudget> CURRENT = new ThreadLocal<>();

    /** The check ends here. */
    static final class TooMuch extends RuntimeException {
        TooMuch(String message) {
            super(message, null, false, false);
        }
    }

    private int steps;
    private int depth;

    /** Does the work, in which patterns count as well. */
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

    /** Patterns of the platform, in texts whose characters are counted as they are looked at. */
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
