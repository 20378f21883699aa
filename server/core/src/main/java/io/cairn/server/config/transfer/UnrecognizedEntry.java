package io.cairn.server.config.transfer;

/**
 * A file of an archive that is no configuration, or a configuration that its list names and the archive does not hold.
 *
 * @param name as the archive spells it, shortened
 * @param reason for which it is left out
 */
public record UnrecognizedEntry(String name, String reason) {

    static final String NOT_LISTED = "not in " + ArchiveLayout.LISTED.entry();
    static final String NO_FILE = "in " + ArchiveLayout.LISTED.entry() + ", but there is no such file";
    static final String NO_CONFIGURATION = "not named <group>/<dataId>";
    static final String OF_SYSTEM = "a file of an operating system or a tool";
    static final String CLIMBS = "its path leads out of the archive";
    static final String NO_TEXT = "its name is not UTF-8";
    static final String TWICE = "its name is there twice";

    @Override
    public String toString() {
        return "'" + name + "' (" + reason + ')';
    }
}
