package io.cairn.server.config.transfer;

/** How an archive lists its configurations. Their contents stand in entries named {@code group/dataId} in both. */
public enum ArchiveLayout {
    /**
     * {@code .meta.yml} with the application names, as Nacos 1.x and 2.x write it at first. Types and descriptions are not in
     * it; what Nacos never writes is, in lines that it passes over.
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
