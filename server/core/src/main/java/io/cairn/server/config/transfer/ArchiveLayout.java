package io.cairn.server.config.transfer;

/** How an archive lists its configurations. Their contents stand in entries named {@code group/dataId} in both. */
public enum ArchiveLayout {
    /**
     * {@code .meta.yml} with the application names, the original layout of Nacos 1.x and 2.x. It has no types and
     * descriptions; attributes that Nacos never writes are in lines that Nacos ignores.
     */
    APP_NAMES(".meta.yml"),
    /** {@code .metadata.yml} with type, description and application name of each, and more that Nacos passes over. */
    LISTED(".metadata.yml");

    private final String entry;

    ArchiveLayout(String entry) {
        this.entry = entry;
    }

    /** The name of the entry that holds the list. */
    String entry() {
        return entry;
    }
}
