package io.cairn.server.storage.sqlite;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.database.StoreDamage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * The embedded database: a file with one writing connection, {@code synchronous=FULL} in WAL mode, so that a commit survives
 * {@code kill -9} and loss of power.
 */
public final class SqliteDatabase implements Database {

    public static final Dialect DIALECT = new SqliteDialect();

    /** For native library and write-ahead log. */
    private static final long ROOM_BYTES = 2 * 1024 * 1024;

    /** A publish writes about ten pages of any size: ADR 45 has the figures. */
    private static final int PAGE_BYTES = 4 * 1024;

    private static final int WRITER_CACHE_KIB = 32 * 1024;
    private static final int READER_CACHE_KIB = 4 * 1024;
    private static final int BUSY_TIMEOUT_MILLIS = 5_000;
    private static final int BRIEF_TIMEOUT_MILLIS = 2_000;
    /** The size of the write-ahead log that starts a checkpoint. */
    private static final int CHECKPOINT_BYTES = 32 << 20;

    private static final String NATIVE_FOLDER = "org.sqlite.tmpdir";

    private final Path file;
    private final LeftOutRows leftOut = new LeftOutRows();
    private final StoreDamage damage;
    private @Nullable String keptPages;

    private SqliteDatabase(Path file) {
        this.file = file;
        this.damage = new StoreDamage(
                "Database file " + file,
                "Requests that need the damaged part fail, all others are served. Copy the file, then restore a backup: stop"
                        + " the server, move the file away, start the server and restore",
                Clock.systemUTC());
    }

    /**
     * Opens or creates {@code cairn.db}, and updates its schema.
     *
     * @throws CairnException {@code UNAVAILABLE} with the cause in one line
     */
    public static SqliteDatabase open(Path folder) {
        SqliteDatabase database = new SqliteDatabase(folder.resolve("cairn.db"));
        try {
            Files.createDirectories(folder);
            keepNativeLibraryIn(folder);
        } catch (IOException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE, "Data folder " + folder + " cannot be created: " + e.getMessage(), e);
        }
        try {
            database.keptPages = new PageRewrite(database.file, PAGE_BYTES, PageRewrite.Limits.OF_A_START)
                    .run()
                    .orElse(null);
            database.migrate();
            return database;
        } catch (IOException e) {
            throw database.unusable(String.valueOf(e.getMessage()), e);
        } catch (SQLException e) {
            throw database.unusable(DIALECT.explain(e), e);
        } catch (FlywayException e) {
            throw database.unusable(rootCause(e), e);
        }
    }

    /**
     * Makes the driver unpack its native library below the data folder, because a temporary folder may be noexec, and deletes files
     * of a killed process there. The caller holds the lock of the data folder.
     */
    public static void keepNativeLibraryIn(Path folder) throws IOException {
        if (System.getProperty(NATIVE_FOLDER) != null) {
            return;
        }
        Path libraries = Files.createDirectories(folder.resolve("native"));
        try (Stream<Path> left = Files.list(libraries)) {
            for (Path file : left.toList()) {
                Files.delete(file);
            }
        }
        System.setProperty(NATIVE_FOLDER, libraries.toAbsolutePath().toString());
    }

    private CairnException unusable(String cause, Exception e) {
        File folder = Objects.requireNonNull(file.toAbsolutePath().getParent()).toFile();
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "Database " + file + " cannot be used: " + explained(cause, folder, folder.getUsableSpace()),
                e);
    }

    /** Adds a full disk, which the driver does not report when it cannot unpack its library. */
    static String explained(String cause, File folder, long usableBytes) {
        return usableBytes >= ROOM_BYTES
                ? cause
                : "the disk of " + folder + " is full: " + usableBytes + " bytes are left (free some space; " + cause
                        + ')';
    }

    private static String rootCause(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage()).lines().findFirst().orElse("");
    }

    private void migrate() throws SQLException {
        SQLiteConfig asCreated = new SQLiteConfig();
        asCreated.setTempStore(SQLiteConfig.TempStore.MEMORY);
        asCreated.setPageSize(PAGE_BYTES);
        asCreated.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        try (Connection connection = source(asCreated).getConnection()) {
            try (Statement statement = connection.createStatement()) {
                // The page size can be set only while the file is empty, and the change to WAL writes the first page.
                statement.execute("PRAGMA page_size=" + PAGE_BYTES);
                statement.execute("PRAGMA journal_mode=WAL");
            }
            FreshSqlite.fill(connection);
        }
        if (!isUsable()) {
            Flyway.configure()
                    .dataSource(source(config(WRITER_CACHE_KIB)))
                    .locations("classpath:io/cairn/server/storage/migration/sqlite")
                    .table("cairn_schema_history")
                    .load()
                    .migrate();
        }
    }

    /** Why the file has an old page size, which makes writes more expensive, if so. */
    public Optional<String> keptPages() {
        return Optional.ofNullable(keptPages);
    }

    @Override
    public Dialect dialect() {
        return DIALECT;
    }

    @Override
    public ReadConnections readers() {
        return new ReadConnections(this::openReader, DIALECT, true, null, null, leftOut, damage);
    }

    @Override
    public LeftOutRows leftOut() {
        return leftOut;
    }

    @Override
    public StoreDamage damage() {
        return damage;
    }

    @Override
    public void close() {
        // The callers that open connections close them.
    }

    @Override
    public Connection openWriter() throws SQLException {
        Connection connection = open(WRITER_CACHE_KIB, "PRAGMA query_only=0");
        try (Statement statement = connection.createStatement()) {
            // With auto-commit the driver executes a BEGIN after each statement, to detect transactions. Without it,
            // the writer begins them, except the first.
            connection.setAutoCommit(false);
            statement.execute("ROLLBACK");
            int pageBytes;
            try (ResultSet row = statement.executeQuery("PRAGMA page_size")) {
                pageBytes = row.getInt(1);
            }
            statement.execute("PRAGMA wal_autocheckpoint=" + CHECKPOINT_BYTES / pageBytes);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Its statements wait for the writer, which locks the file. */
    @Override
    public Connection openBrief() throws SQLException {
        return open(READER_CACHE_KIB, "PRAGMA busy_timeout=" + BRIEF_TIMEOUT_MILLIS);
    }

    @Override
    public Connection openReader() throws SQLException {
        return open(READER_CACHE_KIB, "PRAGMA query_only=1");
    }

    private Connection open(int cacheKib, String pragma) throws SQLException {
        Connection connection = source(config(cacheKib)).getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA case_sensitive_like=ON");
            statement.execute(pragma);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    public Path file() {
        return file;
    }

    private static SQLiteConfig config(int cacheKib) {
        SQLiteConfig config = new SQLiteConfig();
        config.setPageSize(PAGE_BYTES);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        // Else statement journals, sorters and temporary tables are files outside of the data folder.
        config.setTempStore(SQLiteConfig.TempStore.MEMORY);
        // Else the driver queries the new row's id after each INSERT.
        config.setGetGeneratedKeys(false);
        // Negative: KiB instead of pages.
        config.setCacheSize(-cacheKib);
        return config;
    }

    private DataSource source(SQLiteConfig config) {
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    /** Whether the schema needs no migration. */
    boolean isUsable() throws SQLException {
        try (Connection connection = openReader()) {
            return SchemaVersion.isUsable(
                    connection,
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cairn_schema_history'",
                    file());
        }
    }
}
