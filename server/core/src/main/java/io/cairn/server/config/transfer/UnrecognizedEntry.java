package io.cairn.server.config.transfer;

/**
 * An archive file that is no configuration or unpublishable, or a listed one without a file.
 *
 * @param name in the archive, shortened
 */
public record UnrecognizedEntry(String name, String reason) {

    static final String NOT_LISTED = "not in " + ArchiveLayout.LISTED.entry();
    static final String NO_FILE = "in " + ArchiveLayout.LISTED.entry() + ", but there is no such file";
    static final String NO_CONFIGURATION = "not named <group>/<dataId>";
    static final String LIST_ELSEWHERE =
            "a list of configurations that is not beside the folders of all groups; it is not read";
    static final String OF_SYSTEM = "a file of an operating system or a tool";
    static final String CLIMBS = "its path leads out of the archive";
    static final String DOTS = "its path holds a folder or file '.' or '..' (expected: <group>/<dataId>)";
    static final String NUL = "its name holds a NUL character";
    static final String NO_TEXT = "its name is not UTF-8";
    static final String TWICE = "its name is there twice";
    static final String ENCRYPTED = "it is encrypted; write the archive without a password";
    static final String SYMBOLIC_LINK = "it is a symbolic link; write the archive with the file itself";
    static final String EMPTY = "its content is empty";

    private static final int MAX_NAME_SHOWN = 300;

    /** Accepts names of any length and characters. */
    static UnrecognizedEntry of(String name, String reason) {
        return new UnrecognizedEntry(shown(name), reason);
    }

    /** An entry's name for users. */
    static String shown(String name) {
        String cut = name.length() <= MAX_NAME_SHOWN ? name : name.substring(0, MAX_NAME_SHOWN) + "…";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }

    @Override
    public String toString() {
        return "'" + name + "' (" + reason + ')';
    }
}
