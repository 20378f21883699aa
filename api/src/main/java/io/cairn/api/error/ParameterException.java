package io.cairn.api.error;

/** A parameter is missing, or the check of names and values refuses it; each version of the protocol words that its way. */
public final class ParameterException extends CairnException {

    /** What is wrong with the parameter. */
    public enum Problem {
        /** It is required and was not given, or is blank. */
        MISSING,
        /** It has illegal characters, is too long, or out of range. */
        REFUSED
    }

    private final Problem problem;
    private final String parameter;

    private ParameterException(Problem problem, String parameter, String text) {
        super(ErrorCode.INVALID_PARAMETER, text);
        this.problem = problem;
        this.parameter = parameter;
    }

    public static ParameterException missing(String parameter) {
        return new ParameterException(Problem.MISSING, parameter, "Param '" + parameter + "' is required.");
    }

    /** @param why what the check says after the name */
    public static ParameterException refused(String parameter, String why) {
        return new ParameterException(Problem.REFUSED, parameter, "Param '" + parameter + "' is illegal, " + why);
    }

    public Problem problem() {
        return problem;
    }

    public String parameter() {
        return parameter;
    }
}
