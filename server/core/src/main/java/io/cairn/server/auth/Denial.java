package io.cairn.server.auth;

/** Denials with the texts that Nacos clients know. */
public enum Denial implements Identity {
    /** No credentials, or a wrong name or password. */
    NO_USER("user not found!", "User not found! Please check user exist or password is right!", true),
    BAD_TOKEN("token invalid!", "token invalid!", true),
    BAD_SIGNATURE("Invalid signature", "Invalid signature", true),
    EXPIRED("token expired!", "token expired!", true),
    /** An authenticated caller without the right. */
    NO_RIGHT("authorization failed!", "authorization failed!", false);

    private final String text;
    private final String newText;
    private final boolean identity;

    Denial(String text, String newText, boolean identity) {
        this.text = text;
        this.newText = newText;
        this.identity = identity;
    }

    /** For versions 1 and 2 of the HTTP API, and gRPC. */
    public String text() {
        return text;
    }

    /** For version 3 of the HTTP API. */
    public String newText() {
        return "Code: " + (identity ? 401 : 403) + ", Message: " + newText + '.';
    }
}
