package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The operator's password for the first user, in a file such as a mounted secret, read when the user is created. Blocks. */
public record FirstPasswordFile(Path path) {

    public static final String SETTING = "cairn.auth.first-password-file";

    /** @throws CairnException {@code INVALID_PARAMETER} for an unreadable file, or an illegal password */
    String read() {
        try {
            String password = text();
            Passwords.check(password);
            Passwords.refuseKnown(password);
            return password;
        } catch (CairnException e) {
            throw refused(e.text(), e);
        } catch (IOException e) {
            throw refused("not readable: " + e, e);
        }
    }

    /** Whether the file has the password of that hash; false if unreadable. */
    boolean matches(String hash) {
        try {
            return Passwords.matches(text(), hash);
        } catch (IOException e) {
            return false;
        }
    }

    private String text() throws IOException {
        return Files.readString(path, StandardCharsets.UTF_8).strip();
    }

    private CairnException refused(String problem, Exception cause) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER,
                SETTING + ": " + path + ": " + problem
                        + " (expected: a file with the password of the first user; without the setting one is made)",
                cause);
    }
}
