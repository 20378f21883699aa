package io.cairn.api.wire.fuzzy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.fuzzy.FuzzyPattern;

/** The wire format of patterns and of the stages of a fuzzy watch. */
public final class FuzzyWire {

    /** The matches, for a new watch. */
    public static final String INITIAL = "FUZZY_WATCH_INIT_NOTIFY";
    /** The differences from the matches that the client knows. */
    public static final String DIFFERENCE = "FUZZY_WATCH_DIFF_SYNC_NOTIFY";
    /** The client has received all matches. */
    public static final String FINISHED = "FINISH_FUZZY_WATCH_INIT_NOTIFY";
    /** A name was added or removed after the start. */
    public static final String CHANGED = "FUZZY_WATCH_RESOURCE_CHANGED";

    private static final String SEPARATOR = ">>";

    private FuzzyWire() {}

    /**
     * Reads {@code namespace>>group>>name}.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the text is not a pattern
     */
    public static FuzzyPattern pattern(String spelled) {
        String[] parts = spelled.split(SEPARATOR, -1);
        if (parts.length != 3 || parts[1].isBlank() || parts[2].isBlank()) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "groupKeyPattern: '" + spelled + "' (expected: <namespace>>><group pattern>>><name pattern>)");
        }
        return new FuzzyPattern(Namespace.ofNullable(parts[0]), parts[1], parts[2]);
    }

    /** {@code namespace>>group>>name}. */
    public static String format(FuzzyPattern pattern) {
        return pattern.namespace() + SEPARATOR + pattern.group() + SEPARATOR + pattern.name();
    }
}
