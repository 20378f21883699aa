package io.cairn.server.auth;

/** The kinds of things that permissions are about. */
public enum ResourceType {
    CONFIG("config"),
    NAMING("naming"),
    /** The server's meters, in the default namespace. */
    METRICS("metrics");

    private final String word;

    ResourceType(String word) {
        this.word = word;
    }

    /** How permissions spell it. */
    public String word() {
        return word;
    }
}
