package io.cairn.server.change;

/**
 * @param showing nodes with the change, this one included
 * @param inService nodes that serve clients, this one included
 */
public record Visibility(int showing, int inService) {

    public Visibility {
        if (showing < 1 || showing > inService) {
            throw new IllegalArgumentException(
                    "showing: " + showing + " of " + inService + " (expected: at least 1, at most all)");
        }
    }

    /** As in answers: {@code 2/3}. */
    @Override
    public String toString() {
        return showing + "/" + inService;
    }
}
