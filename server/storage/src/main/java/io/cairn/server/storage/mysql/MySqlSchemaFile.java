package io.cairn.server.storage.mysql;

import io.cairn.server.storage.database.SchemaScript;
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

/** Writes {@code conf/mysql-schema.sql} at the build: all scripts, and the history table that marks them as run. */
public final class MySqlSchemaFile {

    private static final String FOLDER = "mysql";
    private static final String HEAD = """
            -- The schema of Cairn for MySQL 5.7 or newer and for MariaDB, to be run by hand in an empty database, as a user
            -- that may create tables. Cairn's own user then needs only SELECT, INSERT, UPDATE and DELETE. If Cairn's user may
            -- create tables, the first start of Cairn does the same. For a database that Nacos has used, run the statements
            -- that bin/startup.sh --dry-run prints instead.

            """;
    private static final String HISTORY = """
            -- The scripts that have run, so that Cairn does not run them again.
            CREATE TABLE cairn_schema_history (
              installed_rank int NOT NULL,
              version varchar(50) DEFAULT NULL,
              description varchar(200) NOT NULL,
              type varchar(20) NOT NULL,
              script varchar(1000) NOT NULL,
              checksum int DEFAULT NULL,
              installed_by varchar(100) NOT NULL,
              installed_on timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
              execution_time int NOT NULL,
              success boolean NOT NULL,
              PRIMARY KEY (installed_rank),
              KEY cairn_schema_history_s_idx (success)
            ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
            """;

    private MySqlSchemaFile() {}

    /** @param arguments the file */
    public static void main(String[] arguments) throws IOException, URISyntaxException {
        Path file = Path.of(arguments[0]);
        Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        Files.writeString(file, text());
    }

    static String text() throws IOException, URISyntaxException {
        StringBuilder all = new StringBuilder(HEAD);
        StringBuilder history = new StringBuilder(HISTORY);
        int rank = 0;
        for (SchemaScript script : scripts()) {
            rank++;
            all.append(script.text().stripTrailing()).append("\n\n");
            history.append(row(rank, script));
        }
        return all.append(history).toString();
    }

    private static String row(int rank, SchemaScript script) {
        return "INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success)\n  VALUES (" + rank + ", '" + script.version() + "', '"
                + script.description() + "', 'SQL', '" + script.name() + "', " + script.checksum()
                + ", 'by hand', 0, 1);\n";
    }

    private static List<SchemaScript> scripts() throws IOException, URISyntaxException {
        URL folder = Objects.requireNonNull(
                MySqlSchemaFile.class.getResource("/io/cairn/server/storage/migration/" + FOLDER), FOLDER);
        URI address = folder.toURI();
        if ("file".equals(address.getScheme())) {
            return scripts(Path.of(address));
        }
        try (FileSystem jar = FileSystems.newFileSystem(address, Map.of())) {
            return scripts(jar.provider().getPath(address));
        }
    }

    private static List<SchemaScript> scripts(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> SchemaScript.read(FOLDER, String.valueOf(file.getFileName())))
                    .sorted(Comparator.comparingInt(script -> Integer.parseInt(script.version())))
                    .toList();
        }
    }
}
