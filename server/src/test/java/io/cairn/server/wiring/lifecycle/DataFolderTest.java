package io.cairn.server.wiring.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void othersOnTheMachineCannotLookIntoIt(@TempDir Path home) throws Exception {
        Path open = Files.createDirectory(home.resolve("data"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));

        try (DataFolder folder = DataFolder.lock(open)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void isOneServersAlone(@TempDir Path home) throws Exception {
        Path data = home.resolve("data");

        try (DataFolder folder = DataFolder.lock(data)) {
            assertThatThrownBy(() -> DataFolder.lock(data))
                    .hasMessageContaining(folder.path().toString())
                    .hasMessageContaining("is in use by another Cairn")
                    .hasMessageContaining("cairn.data-dir");
        }
        try (DataFolder again = DataFolder.lock(data)) {
            assertThat(again.path()).isEqualTo(data);
        }
    }

    @Test
    void reportsAnInvalidFolderWithoutExceptionNames(@TempDir Path home) throws Exception {
        Path file = Files.writeString(home.resolve("file"), "no folder");

        assertThatThrownBy(() -> DataFolder.lock(file))
                .hasMessage("Data folder " + file + " cannot be used: " + file
                        + " is no folder (remove it); or set cairn.data-dir to another one");
        assertThatThrownBy(() -> DataFolder.lock(file.resolve("below")))
                .hasMessageStartingWith("Data folder " + file.resolve("below") + " cannot be used: " + file)
                .hasMessageNotContaining("Exception");
    }

    @Test
    void fileErrorsNameTheFileAndTheRemedy() {
        assertThat(FileTrouble.of(new AccessDeniedException("/srv/data")))
                .isEqualTo("no permission for /srv/data (give it to the user that runs the server)");
        assertThat(FileTrouble.of(new NoSuchFileException("/proc/x"))).isEqualTo("/proc/x cannot be made");
        assertThat(FileTrouble.of(new FileSystemException("/srv/data", null, "Read-only file system")))
                .isEqualTo("/srv/data: Read-only file system");
        assertThat(FileTrouble.of(new IOException("No space left on device")))
                .isEqualTo("No space left on device (free some)");
    }
}
