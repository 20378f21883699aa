package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.LocalSecrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The server's own secrets in a folder for its owner only: signing keys, the first password, and copies of shared secrets. For
 * starts and changes of keys; blocks.
 */
public final class SecretFolder implements LocalSecrets {

    private static final String PENDING_PASSWORD = "initial-admin-password.pending";

    private final Path folder;

    public SecretFolder(Path data) {
        this.folder = data.resolve("auth");
    }

    public Path passwordFile() {
        return folder.resolve("initial-admin-password");
    }

    @Override
    public Optional<String> read(String name) {
        Path file = folder.resolve(name);
        try {
            return Files.exists(file)
                    ? Optional.of(Files.readString(file, StandardCharsets.UTF_8).strip())
                    : Optional.empty();
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void write(String name, String secret) {
        write(folder.resolve(name), secret + '\n');
    }

    /** Null before the first write. */
    @Nullable
    SigningKeys readKeys() {
        try {
            return read(SharedSigningKeys.NAME).map(SigningKeys::parse).orElse(null);
        } catch (CairnException | IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "The signing keys in " + folder.resolve(SharedSigningKeys.NAME) + " cannot be read ("
                            + e.getMessage() + "); delete the file to have new ones made, which ends all tokens",
                    e);
        }
    }

    void writeKeys(SigningKeys keys) {
        write(SharedSigningKeys.NAME, keys.text());
    }

    void writePassword(String password) {
        write(passwordFile(), password + '\n');
    }

    /** Writes a possible first password. */
    void writePendingPassword(String password) {
        write(pendingPasswordFile(), password + '\n');
    }

    /** The password of an attempt to create the first user, or null. */
    @Nullable
    String readPendingPassword() {
        return read(PENDING_PASSWORD).filter(text -> !text.isEmpty()).orElse(null);
    }

    /** Makes the pending password the first one. */
    void confirmPassword() {
        try {
            Files.move(
                    pendingPasswordFile(),
                    passwordFile(),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + passwordFile() + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** No user has it. */
    void forgetPendingPassword() {
        delete(pendingPasswordFile());
    }

    private Path pendingPasswordFile() {
        return folder.resolve(PENDING_PASSWORD);
    }

    /** The written passwords by user; empty for the file of one user, and without a file. */
    Map<String, String> readPasswords() {
        Map<String, String> passwords = new LinkedHashMap<>();
        try {
            if (Files.exists(passwordFile())) {
                for (String line : Files.readAllLines(passwordFile(), StandardCharsets.UTF_8)) {
                    // Names may contain spaces, generated passwords do not.
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

    /** It is no longer in use. */
    public void forgetPassword() {
        delete(passwordFile());
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "The file " + file + " cannot be deleted: " + e.getMessage(), e);
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
