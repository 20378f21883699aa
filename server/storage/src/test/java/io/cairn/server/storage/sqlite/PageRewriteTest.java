package io.cairn.server.storage.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageRewriteTest {

    private static final PageRewrite.Limits AMPLE = new PageRewrite.Limits(1L << 30, Duration.ofMinutes(1), 2);
    private static final int OLD_BYTES = 16 * 1024;
    private static final int NEW_BYTES = 4 * 1024;
    private static final int ROWS = 2_000;

    @TempDir
    Path folder;

    /** A database as an earlier release made it: larger pages, and a write-ahead log. */
    private Path oldDatabase() throws SQLException {
        Path file = folder.resolve("cairn.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            try (Statement pragma = connection.createStatement()) {
                pragma.execute("PRAGMA page_size=" + OLD_BYTES);
                pragma.execute("PRAGMA journal_mode=WAL");
            }
            FreshSqlite.fill(connection);
            statement.execute("BEGIN");
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO config_info (data_id, group_id, content, gmt_create, gmt_modified)"
                            + " VALUES (?, 'g', ?, 0, 0)")) {
                for (int i = 0; i < ROWS; i++) {
                    insert.setString(1, "d" + i);
                    insert.setString(2, "x".repeat(2_000) + i);
                    insert.executeUpdate();
                }
            }
            statement.execute("COMMIT");
        }
        return file;
    }

    private Optional<String> rewrite(Path file, PageRewrite.Limits limits) throws Exception {
        return new PageRewrite(file, NEW_BYTES, limits).run();
    }

    private void assertIsWhole(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("PRAGMA integrity_check")) {
                assertThat(row.getString(1)).isEqualTo("ok");
            }
            try (ResultSet row =
                    statement.executeQuery("SELECT count(*), sum(length(content)), max(id) FROM config_info"
                            + " WHERE content LIKE '%' || substr(data_id, 2)")) {
                assertThat(row.getInt(1)).isEqualTo(ROWS);
                assertThat(row.getInt(3)).isEqualTo(ROWS);
            }
            try (ResultSet row = statement.executeQuery("SELECT seq FROM sqlite_sequence WHERE name = 'config_info'")) {
                assertThat(row.getInt(1))
                        .as("the next id is not one that was used")
                        .isEqualTo(ROWS);
            }
        }
    }

    private void assertIsAlone(Path file) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.filter(each -> Files.isRegularFile(each))).containsExactly(file);
        }
    }

    @Test
    void rewritesTheFileWithTheNewPageSizeAndAllRows() throws Exception {
        Path file = oldDatabase();
        assertThat(PageRewrite.pageSize(file)).isEqualTo(OLD_BYTES);

        assertThat(rewrite(file, AMPLE)).isEmpty();

        assertThat(PageRewrite.pageSize(file)).isEqualTo(NEW_BYTES);
        assertIsWhole(file);
        assertIsAlone(file);
    }

    @Test
    void openingAnOldDatabaseRewritesItAndKeepsTheLog() throws Exception {
        Path file = oldDatabase();

        SqliteDatabase database = SqliteDatabase.open(folder);

        assertThat(database.keptPages()).isEmpty();
        assertThat(PageRewrite.pageSize(file)).isEqualTo(NEW_BYTES);
        try (Connection writer = database.openWriter();
                Statement statement = writer.createStatement();
                ResultSet mode = statement.executeQuery("PRAGMA journal_mode")) {
            assertThat(mode.getString(1)).isEqualTo("wal");
        }
        assertIsWhole(file);
    }

    @Test
    void copiesCommitsThatAreOnlyInTheLog() throws Exception {
        Path file = oldDatabase();
        Path killed = Files.createDirectory(folder.resolve("killed"));
        Path copied = killed.resolve("cairn.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE cairn_revision SET value = 7");
            // As after kill -9: the last commit is in the log alone.
            Files.copy(file, copied);
            Files.copy(folder.resolve("cairn.db-wal"), killed.resolve("cairn.db-wal"));
        }

        assertThat(rewrite(copied, AMPLE)).isEmpty();

        assertThat(PageRewrite.pageSize(copied)).isEqualTo(NEW_BYTES);
        assertIsWhole(copied);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copied);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT value FROM cairn_revision")) {
            assertThat(row.getInt(1)).isEqualTo(7);
        }
    }

    @Test
    void keepsAFileThatIsTooLarge() throws Exception {
        Path file = oldDatabase();

        assertThat(rewrite(file, new PageRewrite.Limits(1 << 20, Duration.ofMinutes(1), 2))
                        .orElseThrow())
                .matches("rewriting its \\d+ MiB would delay the start by more than a second");

        assertKept(file);
    }

    @Test
    void keepsAFileThatTheDiskHasNoRoomToCopy() throws Exception {
        Path file = oldDatabase();

        assertThat(rewrite(file, new PageRewrite.Limits(1L << 30, Duration.ofMinutes(1), Integer.MAX_VALUE))
                        .orElseThrow())
                .matches("rewriting it needs \\d+ MiB of free disk space, and \\d+ MiB are free");

        assertKept(file);
    }

    @Test
    void givesUpACopyThatTakesTooLong() throws Exception {
        Path file = oldDatabase();

        assertThat(rewrite(file, new PageRewrite.Limits(1L << 30, Duration.ofNanos(1), 2))
                        .orElseThrow())
                .isEqualTo("rewriting it takes longer than 0 ms");

        assertKept(file);
    }

    @Test
    void keepsAFileThatAnotherProgramHasOpen() throws Exception {
        Path file = oldDatabase();

        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM config_info")) {
            assertThat(row.next()).isTrue();
            assertThat(rewrite(file, AMPLE).orElseThrow()).isEqualTo("another program has it open");
        }

        assertKept(file);
    }

    @Test
    void removesTheUnfinishedCopyOfAKilledProcess() throws Exception {
        Path file = oldDatabase();
        Files.writeString(folder.resolve("cairn.db.rewrite"), "half a copy");

        assertThat(rewrite(file, AMPLE)).isEmpty();

        assertThat(PageRewrite.pageSize(file)).isEqualTo(NEW_BYTES);
        assertIsWhole(file);
        assertIsAlone(file);
    }

    @Test
    void ignoresFilesThatAreNotDatabases() throws Exception {
        Path file = folder.resolve("cairn.db");
        assertThat(rewrite(file, AMPLE)).isEmpty();
        assertThat(file).doesNotExist();

        Files.writeString(file, "this is no database, but it is long enough for a header");
        assertThat(rewrite(file, AMPLE)).isEmpty();
        assertThat(file).hasContent("this is no database, but it is long enough for a header");
    }

    private void assertKept(Path file) throws Exception {
        assertThat(PageRewrite.pageSize(file)).isEqualTo(OLD_BYTES);
        assertIsWhole(file);
        assertThat(folder.resolve("cairn.db.rewrite")).doesNotExist();
    }
}
