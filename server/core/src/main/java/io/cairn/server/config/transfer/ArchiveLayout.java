package io.cairn.server.config.transfer;

/** The list of configurations in an archive. Contents are in entries {@code group/dataId} in both. */
public enum ArchiveLayout {
    /**
     * {@code .meta.yml} with application names, Nacos's original layout of 1.x and 2.x, without types and descriptions; Cairn's
     * attributes are in lines that Nacos ignores.
     */
    APP_NAMES(".meta.yml"),
    /** {@code .metadata.yml} with type, description and application name, and more that Nacos ignores. */
    LISTED(".metadata.yml");

    private final String entry;

    ArchiveLayout(String entry) {
        this.entry = entry;
    }

    /** The entry with the list. */
    String entry() {
        return entry;
    }
}
