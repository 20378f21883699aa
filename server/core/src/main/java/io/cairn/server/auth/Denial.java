package io.cairn.server.auth;

/** Why somebody was not let in, in the words that clients of Nacos know. */
public enum Denial implements Identity {
    /** No credentials, or a wrong name or password. */
    NO_USER("user not found!", "User not found! Please check user exist or password is right!", true),
    /** Something that is no token. */
    BAD_TOKEN("token invalid!", "token invalid!", true),
    /** A token that this server did not sign. */
    BAD_SIGNATURE("Invalid signature", "Invalid signature", true),
    EXPIRED("token expired!", "token expired!", true),
    /** Known, but without the right. */
    NO_RIGHT("authorization failed!", "authorization failed!", false);

    private final String text;
    private final String newText;
    private final boolean identity;

    Denial(String text, String newText, boolean identity) {
        this.text = text;
        this.newText = newText;
        this.identity = identity;
    }

    /** As versions 1 and 2 of the API and gRPC say it. */
    public String text() {
        return text;
    }

    /** As version 3 of the API says it. */
    public String newText() {
        return "Code: " + (identity ? 401 : 403) + ", Message: " + newText + '.';
    }

    /** Whether it is about who calls, not about what he may do. */
    public boolean isAboutIdentity() {
        return identity;
    }
}
