package io.cairn.server.config.history;

/** What was done to a configuration. */
public enum HistoryOperation {
    INSERT("I"),
    UPDATE("U"),
    DELETE("D");

    private final String letter;

    HistoryOperation(String letter) {
        this.letter = letter;
    }

    /** As it is stored and sent. */
    public String letter() {
        return letter;
    }

    /** The operation of that letter, which some databases pad with blanks; an unknown one counts as an update. */
    public static HistoryOperation ofLetter(String letter) {
        String trimmed = letter.trim();
        for (HistoryOperation operation : values()) {
            if (operation.letter.equals(trimmed)) {
                return operation;
            }
        }
        return UPDATE;
    }
}
