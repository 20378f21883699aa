package io.cairn.cli.migrate;

public final class SideException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean temporary;

    public SideException(String message) {
        super(message);
        temporary = false;
    }

    /** @param temporary whether the same request may succeed later */
    public SideException(String message, boolean temporary, Throwable cause) {
        super(message, cause);
        this.temporary = temporary;
    }

    public boolean isTemporary() {
        return temporary;
    }
}
