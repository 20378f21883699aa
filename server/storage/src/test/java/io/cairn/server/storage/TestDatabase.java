package io.cairn.server.storage;

import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.sqlite.SqliteDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A database that tests may fill.
 *
 * @param writer opens connections that write
 * @param reader opens connections that only read
 */
public record TestDatabase(ConnectionSource writer, ConnectionSource reader, Dialect dialect) {

    private static byte[] migrated;

    /** SQLite in that folder: as it is there, or with a fresh schema. */
    public static TestDatabase sqlite(Path folder) {
        try {
            Path file = folder.resolve("cairn.db");
            if (!Files.exists(file)) {
                Files.write(file, migrated());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SqliteDatabase database = SqliteDatabase.open(folder);
        return new TestDatabase(database::openWriter, database::openReader, SqliteDatabase.DIALECT);
    }

    /** A migration takes a quarter of a second, a copy of its outcome nothing. */
    private static synchronized byte[] migrated() throws IOException {
        if (migrated == null) {
            Path template = Files.createTempDirectory("cairn-schema");
            Path file = SqliteDatabase.open(template).file();
            migrated = Files.readAllBytes(file);
            try (Stream<Path> files = Files.walk(template)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
        return migrated;
    }

    public TestDatabase writtenThrough(ConnectionSource other) {
        return new TestDatabase(other, reader, dialect);
    }

    public TestDatabase readThrough(ConnectionSource other) {
        return new TestDatabase(writer, other, dialect);
    }
}
