package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PasswordFileTest {

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("passwords");
    }

    private void append() {
        new PasswordFile(file).append("orders secret");
    }

    @Test
    void itsOwnerAloneCanReadIt() throws Exception {
        append();
        append();
        assertThat(Files.readAllLines(file)).containsExactly("orders secret", "orders secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void refusesAFileThatOthersCanRead() throws Exception {
        Files.writeString(file, "");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(this::append).hasMessageContaining("can be read by others (chmod 600 " + file + ")");
        assertThat(file).isEmptyFile();
    }

    @Test
    void refusesALinkAndAFolder() throws Exception {
        Path other = Files.writeString(folder.resolve("other"), "");
        Files.createSymbolicLink(file, other);
        assertThatThrownBy(this::append).hasMessageContaining("is no regular file");
        assertThat(other).isEmptyFile();
        Files.delete(file);
        Files.createDirectory(file);
        assertThatThrownBy(this::append).hasMessageContaining("is no regular file");
    }
}
