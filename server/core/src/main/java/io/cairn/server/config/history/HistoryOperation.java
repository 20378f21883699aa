package io.cairn.server.config.history;

/** The kinds of changes of a configuration. */
public enum HistoryOperation {
    INSERT("I"),
    UPDATE("U"),
    DELETE("D");

    private final String letter;

    HistoryOperation(String letter) {
        this.letter = letter;
    }

    /** The letter that is stored and sent. */
    public String letter() {
        return letter;
    }

    /** The operation with that letter, which some databases pad with spaces. An unknown letter means an update. */
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
