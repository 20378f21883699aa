package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
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
}
