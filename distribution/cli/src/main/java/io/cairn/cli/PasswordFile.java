package io.cairn.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file of passwords, which its owner alone can read. */
final class PasswordFile {

    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");

    private final Path file;

    PasswordFile(Path file) {
        this.file = file;
    }

    /** @throws Failure when the file cannot be written, or others may read it or the place it links to */
    void append(String line) {
        try {
            create();
            Files.writeString(
                    file,
                    line + System.lineSeparator(),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.APPEND,
                    LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new Failure("--accounts: the passwords cannot be written to " + file + ": " + e, e);
        }
    }

    private void create() throws IOException {
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        try {
            if (posix) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER));
            } else {
                Files.createFile(file);
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new Failure("--accounts: " + file + " is no regular file (expected: a file, no link)", e);
            }
            if (posix && !OWNER.containsAll(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS))) {
                throw new Failure("--accounts: " + file + " can be read by others (chmod 600 " + file + ")", e);
            }
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
