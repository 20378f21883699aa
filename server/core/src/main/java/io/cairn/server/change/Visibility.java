package io.cairn.server.change;

/**
 * How many nodes show a change.
 *
 * @param showing nodes that show it, this one among them
 * @param inService nodes that answer clients, this one among them
 */
public record Visibility(int showing, int inService) {

    public Visibility {
        if (showing < 1 || showing > inService) {
            throw new IllegalArgumentException(
                    "showing: " + showing + " of " + inService + " (expected: at least 1, at most all)");
        }
    }

    /** As an answer says it: {@code 2/3}. */
    @Override
    public String toString() {
        return showing + "/" + inService;
    }
}
