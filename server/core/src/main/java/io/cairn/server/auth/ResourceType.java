package io.cairn.server.auth;

public enum ResourceType {
    CONFIG("config"),
    NAMING("naming"),
    /** The server's meters, in the default namespace. */
    METRICS("metrics");

    private final String word;

    ResourceType(String word) {
        this.word = word;
    }

    /** The form in permissions. */
    public String word() {
        return word;
    }
}
