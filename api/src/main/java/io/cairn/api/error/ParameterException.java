package io.cairn.api.error;

import org.jspecify.annotations.Nullable;

/** A parameter is missing, or the check of names and values refused it. Each API version has its own text for this. */
public final class ParameterException extends CairnException {

    /** The kind of error. */
    public enum Problem {
        /** The parameter is required and is missing or blank. */
        MISSING,
        /** The value has illegal characters, is too long, or is out of range. */
        REFUSED,
        /** The value should be a number and is not. */
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

    /** @param why the reason, which the message gives after the name */
    public static ParameterException refused(String parameter, String why) {
        return new ParameterException(Problem.REFUSED, parameter, "Param '" + parameter + "' is illegal, " + why, null);
    }

    /** @param value the text that is not a number */
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
