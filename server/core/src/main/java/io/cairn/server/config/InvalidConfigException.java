package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** A part of a configuration that is missing or refused. Some messages have an error code of their own for a problem. */
public final class InvalidConfigException extends CairnException {

    /** The kinds of problems. */
    public enum Problem {
        /** The name or the group is missing. */
        NAME_MISSING,
        /** A tag of clients or a label has illegal characters, or is too long. */
        TAG_REFUSED
    }

    private final Problem problem;

    InvalidConfigException(Problem problem, String text) {
        super(ErrorCode.INVALID_PARAMETER, text);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }

    /** Whether a failure is of this problem. */
    public static boolean is(CairnException failure, Problem problem) {
        return failure instanceof InvalidConfigException invalid && invalid.problem == problem;
    }
}
