package io.cairn.cli.migrate;

public record Decision(Outcome outcome, String subject, String reason) {

    public enum Outcome {
        CREATED,
        UPDATED,
        DELETED,
        KEPT,
        CONFLICT,
        HELD,
        FAILED;

        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    @Override
    public String toString() {
        return outcome.label() + " " + subject + ": " + reason;
    }
}
