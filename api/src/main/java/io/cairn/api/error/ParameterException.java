package io.cairn.api.error;

import org.jspecify.annotations.Nullable;

/** A missing or invalid parameter. Each API version has its own text for this failure. */
public final class ParameterException extends CairnException {

    public enum Problem {
        MISSING,
        /** The value has illegal characters, is too long, or is out of range. */
        REFUSED,
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

    /** @param why the reason, which follows the name in the message */
    public static ParameterException refused(String parameter, String why) {
        return new ParameterException(Problem.REFUSED, parameter, "Param '" + parameter + "' is illegal, " + why, null);
    }

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
