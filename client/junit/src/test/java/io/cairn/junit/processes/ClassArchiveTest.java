package io.cairn.junit.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {

    @TempDir
    Path folder;

    private Path jar;

    @BeforeEach
    void aJarWithOneClass() throws IOException {
        jar = folder.resolve("waiting.jar");
        String name = Waiting.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                InputStream in = Waiting.class.getClassLoader().getResourceAsStream(name)) {
            out.putNextEntry(new ZipEntry(name));
            in.transferTo(out);
        }
    }

    private GuardedProcess started(String name, List<String> flags) throws IOException {
        Path own = Files.createDirectories(folder.resolve(name));
        Path log = own.resolve("log");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(flags);
        command.addAll(List.of("-cp", jar.toString(), Waiting.class.getName()));
        GuardedProcess process = GuardedProcess.start(own, log, command);
        await().until(() -> Files.exists(log) && Files.readString(log).contains(Waiting.UP));
        return process;
    }

    private List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("classes-"))
                    .toList();
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "it shows there which files a process has mapped")
    void theNextProcessMapsTheClassesOfTheFirst() throws IOException {
        GuardedProcess first = started("first", new ClassArchive(folder).flags());
        try {
            new ClassArchive(folder).record(first.pid());
        } finally {
            first.kill();
        }
        assertThat(archives()).singleElement().asString().endsWith(".jsa");

        GuardedProcess second = started("second", new ClassArchive(folder).flags());
        try {
            assertThat(Files.readString(Path.of("/proc", Long.toString(second.pid()), "maps")))
                    .contains(archives().get(0).toString());
        } finally {
            second.kill();
        }
    }

    @Test
    void aProcessThatCannotBeRecordedLeavesNothingBehind() throws IOException {
        GuardedProcess process = started("unprepared", List.of("-Xshare:off"));
        try {
            new ClassArchive(folder).record(process.pid());
        } finally {
            process.kill();
        }
        assertThat(archives()).isEmpty();
        assertThat(new ClassArchive(folder).flags()).contains("-XX:+RecordDynamicDumpInfo");
    }

    @Test
    void nothingIsKeptForJarsThatABuildReplaces() {
        assertThat(new ClassArchive(null).flags()).isEmpty();
    }
}
