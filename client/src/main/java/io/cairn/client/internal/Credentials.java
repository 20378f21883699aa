package io.cairn.client.internal;

/** The user of a client; {@link #toString} omits the password. */
public record Credentials(String username, String password) {

    public Credentials {
        if (username.isBlank()) {
            throw new IllegalArgumentException("username: '" + username + "' (expected: not blank)");
        }
    }

    @Override
    public String toString() {
        return username;
    }
}
