package io.cairn.server.config.history;

public enum HistoryOperation {
    INSERT("I"),
    UPDATE("U"),
    DELETE("D");

    private final String letter;

    HistoryOperation(String letter) {
        this.letter = letter;
    }

    /** The stored and sent letter. */
    public String letter() {
        return letter;
    }

    /** Some databases pad the letter with spaces. An unknown one means an update. */
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
