package io.cairn.server.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.database.SchemaScript;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code MySqlSchemaIT} runs the file in a database and compares the result with that of the scripts. */
class MySqlSchemaFileTest {

    private static final String CLASSES = "io/cairn/server/storage/";
    private static final String SCRIPTS = CLASSES + "migration/mysql/";

    @TempDir
    Path folder;

    @Test
    void containsEachScriptAndItsRowInOrder() throws Exception {
        String file = MySqlSchemaFile.FILE.text();

        List<SchemaScript> scripts = scripts();
        assertThat(scripts).hasSizeGreaterThan(5);
        assertThat(file)
                .containsSubsequence(scripts.stream()
                        .map(script -> script.text().stripTrailing())
                        .toList());
        assertThat(file.lines().filter(line -> line.startsWith("  VALUES (")))
                .containsExactlyElementsOf(IntStream.range(0, scripts.size())
                        .mapToObj(i ->
                                "  VALUES (" + (i + 1) + ", '" + scripts.get(i).version() + "', '"
                                        + scripts.get(i).description() + "', 'SQL', '"
                                        + scripts.get(i).name() + "', "
                                        + scripts.get(i).checksum() + ", 'by hand', 0, 1);")
                        .toList());
    }

    @Test
    void writesTheSameFileFromAJar() throws Exception {
        Path jar = folder.resolve("storage.jar");
        Path classes = Path.of(MySqlSchemaFile.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream zip = new JarOutputStream(out)) {
            zip.putNextEntry(new JarEntry(SCRIPTS));
            for (String file : List.of(
                    CLASSES + "mysql/MySqlSchemaFile.class",
                    CLASSES + "database/SchemaFile.class",
                    CLASSES + "database/SchemaScript.class")) {
                add(zip, classes, file);
            }
            for (SchemaScript script : scripts()) {
                add(zip, classes, SCRIPTS + script.name());
            }
        }
        Path written = folder.resolve("conf").resolve("mysql-schema.sql");

        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            loader.loadClass(MySqlSchemaFile.class.getName())
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) new String[] {written.toString()});
        }

        assertThat(written).hasContent(MySqlSchemaFile.FILE.text());
    }

    private static void add(JarOutputStream zip, Path classes, String file) throws Exception {
        zip.putNextEntry(new JarEntry(file));
        Files.copy(classes.resolve(file), zip);
    }

    /** In the order of their versions. */
    private static List<SchemaScript> scripts() throws Exception {
        Path scripts = Path.of(MySqlSchema.class
                .getResource("/io/cairn/server/storage/migration/mysql")
                .toURI());
        try (Stream<Path> files = Files.list(scripts)) {
            return files.map(Path::getFileName)
                    .map(Path::toString)
                    .map(name -> SchemaScript.read("mysql", name))
                    .sorted(Comparator.comparingInt(script -> Integer.parseInt(script.version())))
                    .toList();
        }
    }
}
