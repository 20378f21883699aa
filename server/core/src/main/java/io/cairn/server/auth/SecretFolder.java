package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that the server makes for itself, in a folder that only its owner may read: the keys that tokens are signed
 * with, and the first password of the first user. Used at start and when keys are changed; blocks.
 */
public final class SecretFolder {

    private static final int KEY_BYTES = 48;

    private final Path folder;
    private final SecureRandom random = new SecureRandom();

    public SecretFolder(Path data) {
        this.folder = data.resolve("auth");
    }

    /** Where the first password is written. */
    public Path passwordFile() {
        return folder.resolve("initial-admin-password");
    }

    /**
     * The keys to sign with: those of the file, or new ones where there is none. When the configured secret is not the
     * one that the file remembers, the remembered one is believed for as long as its tokens may live.
     *
     * @param configured the secret of the settings; null when they have none
     * @param untilMillis when the last token of a replaced key expires
     */
    public SigningKeys keys(byte @Nullable [] configured, long untilMillis) {
        SigningKeys known = read();
        SigningKeys keys;
        if (known == null) {
            keys = SigningKeys.of(configured == null ? randomKey() : configured);
        } else {
            keys = configured == null ? known : known.replacedBy(configured, untilMillis);
        }
        if (!keys.equals(known)) {
            write(keys);
        }
        return keys;
    }

    /** New keys; the present one is believed until then. */
    public SigningKeys rotate(SigningKeys present, long untilMillis) {
        SigningKeys keys = present.replacedBy(randomKey(), untilMillis);
        write(keys);
        return keys;
    }

    private byte[] randomKey() {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        return key;
    }

    private @Nullable SigningKeys read() {
        Path file = folder.resolve("signing-keys");
        try {
            if (!Files.exists(file)) {
                return null;
            }
            List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
            byte[] current = Base64.getDecoder().decode(lines.get(0).trim());
            if (lines.size() < 3) {
                return SigningKeys.of(current);
            }
            return new SigningKeys(
                    current,
                    Base64.getDecoder().decode(lines.get(1).trim()),
                    Long.parseLong(lines.get(2).trim()));
        } catch (IOException | RuntimeException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "The signing keys in " + file + " cannot be read (" + e.getMessage()
                            + "); delete the file to have new ones made, which ends all tokens",
                    e);
        }
    }

    private void write(SigningKeys keys) {
        Base64.Encoder base64 = Base64.getEncoder();
        byte[] previous = keys.previous();
        write(
                folder.resolve("signing-keys"),
                base64.encodeToString(keys.current())
                        + '\n'
                        + (previous == null
                                ? ""
                                : base64.encodeToString(previous) + '\n' + keys.previousUntilMillis() + '\n'));
    }

    /** Writes the first password down. */
    void writePassword(String password) {
        write(passwordFile(), password + '\n');
    }

    /** The first password as written down; null when there is no such file or more than one is in it. */
    @Nullable
    String readPassword() {
        try {
            if (!Files.exists(passwordFile())) {
                return null;
            }
            String text =
                    Files.readString(passwordFile(), StandardCharsets.UTF_8).strip();
            return text.isEmpty() || text.chars().anyMatch(Character::isWhitespace) ? null : text;
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + passwordFile() + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** The passwords of several users as written down, by name; none where the file is of one user or not there. */
    Map<String, String> readPasswords() {
        Map<String, String> passwords = new LinkedHashMap<>();
        try {
            if (Files.exists(passwordFile())) {
                for (String line : Files.readAllLines(passwordFile(), StandardCharsets.UTF_8)) {
                    // Names may hold spaces, passwords that were made do not.
                    int space = line.lastIndexOf(' ');
                    if (space > 0) {
                        passwords.put(line.substring(0, space), line.substring(space + 1));
                    }
                }
            }
            return passwords;
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + passwordFile() + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Takes the first password away, for it is none any more. */
    public void forgetPassword() {
        try {
            Files.deleteIfExists(passwordFile());
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + passwordFile() + " cannot be deleted: " + e.getMessage(), e);
        }
    }

    private void write(Path file, String text) {
        try {
            boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
            Files.createDirectories(folder);
            Path fresh = folder.resolve(file.getFileName() + ".new");
            Files.deleteIfExists(fresh);
            if (posix) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
                Files.createFile(
                        fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.writeString(fresh, text, StandardCharsets.UTF_8);
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + file + " cannot be written: " + e.getMessage(), e);
        }
    }
}
