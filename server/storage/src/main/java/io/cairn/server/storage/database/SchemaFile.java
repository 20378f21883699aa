package io.cairn.server.storage.database;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A file for operators who create the tables themselves: all scripts of a database, and the history table that marks them as run.
 *
 * @param scripts the folder of the scripts
 * @param head comes before the scripts
 * @param history creates the history table
 * @param success the value of its last column, in SQL
 * @param end comes last
 */
public record SchemaFile(String scripts, String head, String history, String success, String end) {

    public void write(Path file) throws IOException, URISyntaxException {
        Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        Files.writeString(file, text());
    }

    public String text() throws IOException, URISyntaxException {
        StringBuilder all = new StringBuilder(head);
        StringBuilder run = new StringBuilder(history);
        int rank = 0;
        for (SchemaScript script : read()) {
            rank++;
            all.append(script.text().stripTrailing()).append("\n\n");
            run.append(row(rank, script));
        }
        return all.append(run).append(end).toString();
    }

    private String row(int rank, SchemaScript script) {
        return "INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success)\n  VALUES (" + rank + ", '" + script.version() + "', '"
                + script.description() + "', 'SQL', '" + script.name() + "', " + script.checksum()
                + ", 'by hand', 0, " + success + ");\n";
    }

    private List<SchemaScript> read() throws IOException, URISyntaxException {
        URL folder = Objects.requireNonNull(
                SchemaFile.class.getResource("/io/cairn/server/storage/migration/" + scripts), scripts);
        URI address = folder.toURI();
        if ("file".equals(address.getScheme())) {
            return read(Path.of(address));
        }
        try (FileSystem jar = FileSystems.newFileSystem(address, Map.of())) {
            return read(jar.provider().getPath(address));
        }
    }

    private List<SchemaScript> read(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> SchemaScript.read(scripts, String.valueOf(file.getFileName())))
                    .sorted(Comparator.comparingInt(script -> Integer.parseInt(script.version())))
                    .toList();
        }
    }
}
