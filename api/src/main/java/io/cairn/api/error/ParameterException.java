package io.cairn.api.error;

import org.jspecify.annotations.Nullable;

/** A parameter is missing, or the check of names and values refuses it; each version of the protocol words that its way. */
public final class ParameterException extends CairnException {

    /** What is wrong with the parameter. */
    public enum Problem {
        /** It is required and was not given, or is blank. */
        MISSING,
        /** It has illegal characters, is too long, or out of range. */
        REFUSED,
        /** It should be a number and is none. */
        NOT_A_NUMBER
    }

    private final Problem problem;
    private final String parameter;

    private ParameterException(Problem problem, String parameter, String text, @Nullable Throwable cause) {
        super(ErrorCode.INVALID_PARAMETER, text, cause);
        this.problem = problem;
        this.parameter = parameter;
    }

    public static ParameterException missing(String parameter) {
        return new ParameterException(Problem.MISSING, parameter, "Param '" + parameter + "' is required.", null);
    }

    /** @param why what the check says after the name */
    public static ParameterException refused(String parameter, String why) {
        return new ParameterException(Problem.REFUSED, parameter, "Param '" + parameter + "' is illegal, " + why, null);
    }

    /** @param value what is no number */
    public static ParameterException notANumber(String parameter, String value, NumberFormatException cause) {
        return new ParameterException(Problem.NOT_A_NUMBER, parameter, "For input string: \"" + value + '"', cause);
    }

    public Problem problem() {
        return problem;
    }

    public String parameter() {
        return parameter;
    }
}
