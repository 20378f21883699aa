package io.cairn.server.naming.health;

/**
 * What a probe has found.
 *
 * @param reason in one line fit for a log
 */
record ProbeResult(Outcome outcome, String reason) {

    private static final int MAX_REASON = 200;

    enum Outcome {
        PASSED("passed"),
        /** Not well, perhaps for a moment: counts towards a flip. */
        FAILED("failed"),
        /** The target itself says that it does not serve: flips at once. */
        DOWN("down"),
        /** It could not be asked, for a reason on this side: says nothing of the target. */
        UNKNOWN("unknown");

        private final String tag;

        Outcome(String tag) {
            this.tag = tag;
        }

        /** Its name in the meters. */
        String tag() {
            return tag;
        }
    }

    /** The reason may come from a stranger: the log shall keep its lines. */
    ProbeResult {
        StringBuilder line = new StringBuilder(Math.min(reason.length(), MAX_REASON));
        reason.codePoints()
                .limit(MAX_REASON)
                .forEach(c -> line.appendCodePoint(Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c));
        reason = line.toString();
    }

    static ProbeResult passed(String reason) {
        return new ProbeResult(Outcome.PASSED, reason);
    }

    static ProbeResult failed(String reason) {
        return new ProbeResult(Outcome.FAILED, reason);
    }

    static ProbeResult down(String reason) {
        return new ProbeResult(Outcome.DOWN, reason);
    }

    static ProbeResult unknown(String reason) {
        return new ProbeResult(Outcome.UNKNOWN, reason);
    }
}
