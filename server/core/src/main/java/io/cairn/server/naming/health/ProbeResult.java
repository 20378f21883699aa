package io.cairn.server.naming.health;

/** @param reason in one line for a log */
record ProbeResult(Outcome outcome, String reason) {

    private static final int MAX_REASON = 200;

    enum Outcome {
        PASSED("passed"),
        /** Perhaps temporary: counts towards a change of health. */
        FAILED("failed"),
        /** The target reports that it does not serve: changes the health at once. */
        DOWN("down"),
        /** This side could not check: no effect on the health. */
        UNKNOWN("unknown");

        private final String tag;

        Outcome(String tag) {
            this.tag = tag;
        }

        /** The tag in meters. */
        String tag() {
            return tag;
        }
    }

    /** The reason may be an untrusted server's text: control characters are replaced, the length is limited. */
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
