package io.cairn.server.storage.mirror;

import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.TableNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The file of a {@link Mirror}: its database, and its completeness. */
final class MirrorFile {

    private MirrorFile() {}

    static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the damaged mirror in " + folder + " cannot be deleted", e);
        }
    }

    /** Empties a mirror of another database; returns whether it is complete. */
    static boolean prepare(ConnectionSource opened, String source) throws SQLException {
        try (Connection connection = opened.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS cairn_mirror (id INTEGER PRIMARY KEY CHECK (id = 1),"
                    + " source TEXT NOT NULL, complete INTEGER NOT NULL)");
            try (ResultSet rows = statement.executeQuery("SELECT source, complete FROM cairn_mirror")) {
                if (rows.next() && source.equals(rows.getString(1))) {
                    return rows.getBoolean(2);
                }
            }
            List<String> all = new ArrayList<>(MirrorTables.NAMES);
            all.add(TableNames.FORMAL);
            all.addAll(TableNames.GRAYS);
            all.addAll(List.of("cairn_service", "cairn_instance", "cairn_instance_override", "cairn_switch"));
            for (String table : all) {
                statement.execute("DELETE FROM " + table);
            }
            try (PreparedStatement mark =
                    connection.prepareStatement("INSERT OR REPLACE INTO cairn_mirror VALUES (1, ?, 0)")) {
                mark.setString(1, source);
                mark.executeUpdate();
            }
            return false;
        }
    }
}
